// Many clients at once, each with one request at a time: how long the hotel takes beside an endpoint that does nothing.
import http from "node:http";

const [address, clients, requests] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const url = new URL(address);
const agent = new http.Agent({ keepAlive: true, maxSockets: clients });
const model = "principals: {alice: 2/3, bob: 1/3}\nstates: {s0: {a: {reward: 3, to: s0}, b: {reward: -1, to: s1}}, s1: {b: {reward: 6, to: s1}}}\n";
const hotel = JSON.stringify({ model });

function ask(method, path, body) {
  const began = process.hrtime.bigint();
  return new Promise((resolve, reject) => {
    const request = http.request({ host: url.hostname, port: url.port, method, path, agent, headers: body ? { "content-length": Buffer.byteLength(body) } : {} }, (response) => {
      let text = "";
      response.on("data", (part) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode, text, time: Number(process.hrtime.bigint() - began) / 1e6 }));
    });
    request.on("error", reject);
    request.end(body);
  });
}

const times = { hotel: [], empty: [] };
const statuses = new Map();
let next = 0;
const began = Date.now();
async function client() {
  for (let at = next++; at < requests; at = next++) {
    const kind = at % 2 === 0 ? "hotel" : "empty";
    const answer = kind === "hotel" ? await ask("POST", "/api/solve", hotel) : await ask("GET", "/api/health");
    statuses.set(`${kind} ${answer.status}`, (statuses.get(`${kind} ${answer.status}`) ?? 0) + 1);
    if (kind === "hotel" && answer.status === 200 && !answer.text.includes('"127/9"')) throw new Error(answer.text);
    times[kind].push(answer.time);
  }
}
await Promise.all(Array.from({ length: clients }, client));
const seconds = (Date.now() - began) / 1000;
agent.destroy();
console.log(`${requests} requests of ${clients} clients in ${seconds.toFixed(1)} s: ${[...statuses].map(([kind, count]) => `${kind}: ${count}`).join(", ")}`);
for (const [kind, list] of Object.entries(times)) {
  list.sort((a, b) => a - b);
  const at = (share) => list[Math.min(list.length - 1, Math.floor(share * list.length))].toFixed(1);
  console.log(`${kind}: median ${at(0.5)} ms, 99 % within ${at(0.99)} ms, slowest ${at(1)} ms`);
}
// Every one must be answered: a refusal is fast, and would make the figures above look good.
if ([...statuses.keys()].some((kind) => kind !== "hotel 200" && kind !== "empty 204")) process.exit(1);
