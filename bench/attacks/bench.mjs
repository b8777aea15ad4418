import console from 'node:console';
import process from 'node:process';
import { environment } from '../framework/report.mjs';
import { Services } from '../framework/services.mjs';
import { attackWithBodies } from './bodies.mjs';
import { killWorkers } from './kills.mjs';
import { readManyLinks } from './links.mjs';
import { attackWithDocuments } from './rendering.mjs';
import { replaySpool } from './replay.mjs';

// npm run bench -- attacks [NAME [LINKS]]: measures how attackers, a campaign with a link for each recipient, the
// replay of a large spool, and a killed worker affect a service and its other clients.
const [, , , name, size] = process.argv;
const ATTACKS = {
  bodies: attackWithBodies,
  documents: attackWithDocuments,
  links: (services) => readManyLinks(services, Number(size ?? 1_000_000)),
  replay: replaySpool,
  kills: killWorkers,
};

console.log(environment());
for (const [attack, run] of Object.entries(ATTACKS)) {
  if (name !== undefined && name !== attack) continue;
  const services = await Services.start();
  try {
    await run(services);
  } finally {
    await services.close();
  }
}
