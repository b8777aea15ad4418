import console from 'node:console';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { URL } from 'node:url';
import { environment, keep, print } from '../framework/report.mjs';
import { Services } from '../framework/services.mjs';
import { compareWith } from '../tutorial/measure.mjs';
import { ourSender } from '../tutorial/ours.mjs';

// PEER_DIR=… npm run bench -- peer [--quick]: our processes against another open-source sender; see README.md.
const { PEER_DIR, PEER = 'parcelvoy', PEER_MYSQL_URL, PEER_MYSQL_PID } = process.env;
const adapter = new URL(`./${PEER}.mjs`, import.meta.url);

const missing = reasonToSkip();
if (missing) console.log(`Skipped: ${missing}. See bench/peer/README.md.`);
else await compare();

function reasonToSkip() {
  if (!PEER_DIR) return 'PEER_DIR is not set, which names the checkout of a peer';
  if (!existsSync(PEER_DIR)) return `PEER_DIR ${PEER_DIR} does not exist`;
  if (!/^[a-z]+$/.test(PEER) || !existsSync(adapter)) return `there is no adapter for PEER ${PEER}`;
  if (!PEER_MYSQL_URL || !PEER_MYSQL_PID) return 'PEER_MYSQL_URL or PEER_MYSQL_PID is not set';
  return undefined;
}

async function compare() {
  const { start } = await import(adapter.href);
  const quick = process.argv.includes('--quick');
  const services = await Services.start();
  try {
    console.log(environment());
    const mysql = { url: new URL(PEER_MYSQL_URL), pid: Number(PEER_MYSQL_PID) };
    const peer = await start(PEER_DIR, { services, mysql });
    const ours = await ourSender(services);
    const result = { ...(await compareWith(peer, ours, { services, quick })), notes: peer.notes };
    print(result);
    keep('peer', result, quick);
  } finally {
    await services.close();
  }
}
