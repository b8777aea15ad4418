import { formatReport } from './report.js';
import { inject } from './run-scenario.js';
import { Plant } from './plant/plant.js';
import {
  apiKilledBeforeEnqueue,
  workerKilledAfterAcceptance,
  workerKilledBeforeCall,
  randomKills,
} from './scenarios/killed-processes.js';
import { threeCopies } from './scenarios/copies.js';
import { flusherKilledBeforeAck, poisonedEntries, repeatedEntries } from './scenarios/event-trouble.js';
import { postgresRestart } from './scenarios/postgres-trouble.js';
import { redisFlushed, redisRestart } from './scenarios/redis-trouble.js';
const all = [
  apiKilledBeforeEnqueue,
  workerKilledBeforeCall,
  workerKilledAfterAcceptance,
  flusherKilledBeforeAck,
  randomKills(20),
  threeCopies,
  repeatedEntries,
  poisonedEntries,
  postgresRestart,
  redisRestart(15),
  redisFlushed,
];
const wanted = process.argv.slice(2);
const t0 = Date.now();
const plant = await Plant.start();
console.log('booted', Date.now() - t0);
try {
  const rows = [];
  for (const s of all) {
    if (wanted.length && !wanted.includes(s.id)) continue;
    const t = Date.now();
    const i = await inject(plant, s);
    const t2 = Date.now();
    await i.settle();
    const row = await i.audit();
    console.log(s.id, 'inject', t2 - t, 'settle', Date.now() - t2, JSON.stringify(row.breaches.slice(0, 5)));
    rows.push(row);
  }
  console.log(formatReport(rows));
} finally {
  await plant.remove();
}
