// Questions to the server.

import type { Mistake } from "./documents";

export type Answer<T> = { ok: true; data: T } | { ok: false; status: number; error: Mistake; data: T | null };

function mistake(message: string, help: string | null = null): Mistake {
  return { message, line: null, column: null, length: null, help };
}

async function send(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal: signal ?? null });
}

/** The answer to a question, or why there is none. */
export async function ask<T>(path: string, body: object, signal?: AbortSignal): Promise<Answer<T>> {
  try {
    const response = await send(path, body, signal);
    const data = await response.json();
    // An answer that was whole when it was no longer wanted is no answer either.
    signal?.throwIfAborted();
    if (response.ok) return { ok: true, data };
    return { ok: false, status: response.status, error: data.error, data: "format" in data ? data : null };
  } catch (error) {
    if (signal?.aborted) throw error;
    const gone = mistake("the server does not answer", "start `commonweal serve` again and reload this page");
    return { ok: false, status: 0, error: gone, data: null };
  }
}

/** A file, or why there is none. */
export async function file(path: string, body: object): Promise<Blob | Mistake> {
  try {
    const response = await send(path, body);
    if (response.ok) return await response.blob();
    return (await response.json()).error;
  } catch {
    return mistake("the server does not answer");
  }
}

/** Sends the latest of several questions, one at a time: what comes meanwhile waits, and only the last of it is asked. */
export class Latest<T> {
  private busy = false;
  private next: (() => Promise<T>) | null = null;

  constructor(private readonly done: (answer: T) => void) {}

  ask(question: () => Promise<T>): void {
    this.next = question;
    if (!this.busy) void this.run();
  }

  private async run(): Promise<void> {
    this.busy = true;
    try {
      while (this.next) {
        const question = this.next;
        this.next = null;
        this.done(await question());
      }
    } finally {
      this.busy = false;
    }
  }
}
