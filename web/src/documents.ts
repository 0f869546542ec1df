// The documents of the API, as far as the page reads them. docs/api.md describes them all.

export interface Num {
  exact?: string | null;
  lower: number | string;
  upper: number | string;
  value: number | string;
}

/** A step; past 2^53 - 1 it is a text of digits. */
export type Step = number | string;

export interface Decision {
  from: Step;
  action: string;
}

export interface Compared {
  strategy: string;
  rule?: string;
  principal?: string;
  welfare: Num;
  upper?: number;
  payoffs: Record<string, Num>;
  status?: string;
  reason?: string;
}

export interface Deviation {
  state: string;
  action: string;
  advantages: Record<string, Num>;
  pays_from: Step | null;
  pays_until: Step | null;
}

export interface Turn {
  step: Step;
  state: string;
  before: string;
  after: string;
  better_for: string[] | null;
  worse_for: string[] | null;
}

/** How steps count before the last segment of the time preferences. */
export interface EarlierSegment {
  from: number;
  until: number;
  /** Each is taken once, with the long-term strategy before and after it; `null` if the steps are too many to look at. */
  deviations: Deviation[] | null;
}

export interface Explanation {
  values: Record<string, Record<string, Num>>;
  deviations: Deviation[];
  changes: Turn[];
  earlier?: EarlierSegment[];
}

export interface StateAnswer {
  welfare: Num;
  long_term_welfare: Num;
  payoffs: Record<string, Num>;
  long_term_payoffs?: Record<string, Num>;
  own_best?: Record<string, Num>;
  long_term_actions: string[];
  memory: Step;
  decisions: Decision[];
}

export interface Solution {
  engine: "exact" | "certified";
  checked: boolean;
  status?: string;
  reason?: string;
  principals: { name: string; members?: string[]; discount: string; approximation?: object }[];
  start: string;
  horizon: Step;
  long_term: "proven" | "assumed";
  states: Record<string, StateAnswer>;
  needs_counting?: boolean;
  other_payoffs?: Record<string, Num>;
  comparison?: Compared[];
  explanation?: Explanation;
}

export interface Principal {
  name: string;
  stated: string;
  is_rate: boolean;
  discount: string | null;
  patience: string;
  weight: string;
  parameters: Parameter[];
}

/** A number of a time preference. */
export interface Parameter {
  name: string;
  kind: "factor" | "rate" | "steps" | "number";
  value: string;
}

export interface Row {
  name: string;
  rewards: string[];
  to: [number, string, number][];
  is_long_term: boolean;
}

export interface Place {
  name: string;
  actions: Row[];
}

export interface Outline {
  name: string | null;
  description: string | null;
  step: string;
  start: string;
  n_states: number;
  n_choices: number;
  n_transitions: number;
  principals: Principal[];
  states: Place[] | null;
}

export interface TimelineRow {
  state: string;
  runs: { from: Step; action: string | null }[];
}

export interface View {
  format: string;
  model: Outline;
  solution: Solution;
  strategy: { decisions: Record<string, Decision[]> } | null;
  timeline: { rows: TimelineRow[]; n_met: number; takes_turns: boolean; over_all_states: boolean };
  accrued: { plan: Record<string, number[]>; long_term: Record<string, number[]> } | null;
}

export interface DrawnRegion {
  name: string;
  words: string;
  is_rest: boolean;
  outline: [number, number][][];
}

/** A map or a sketch of one, as far as it is drawn. */
export interface StrategyMap {
  drawn: DrawnRegion[];
}

export interface Corner {
  payoffs: Record<string, Num>;
  weights: Record<string, string>;
  decisions: Record<string, Decision[]>;
}

export interface Front {
  principals: string[];
  complete: boolean;
  vertices: Corner[];
  edges: { from: number; to: number; weights: Record<string, string>; proven: boolean }[];
  /** Why it was stopped, if it was. */
  reason?: string;
  questions: number;
  pattern: { ratio: string; towards: number } | null;
}

export interface Fair {
  rule: string;
  status: string;
  value: Num | null;
  payoffs: Record<string, Num>;
  mix: { probability: string; payoffs: Record<string, Num>; decisions: Record<string, Decision[]> }[];
  weights: Record<string, string>;
}

export interface Entry {
  name: string;
  group: string;
  title: string;
  description: string;
  model: string;
}

export interface Mistake {
  message: string;
  line: number | null;
  column: number | null;
  length: number | null;
  help: string | null;
}
