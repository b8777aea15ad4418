import console from 'node:console';
import process from 'node:process';
import { environment } from '../framework/report.mjs';
import { Services } from '../framework/services.mjs';
import { ours, providerStub } from '../send/scenario.mjs';
import { cancelBroadcast, cancelOrganization } from './cancel.mjs';
import { deleteOrganization, eraseContact } from './forget.mjs';

// npm run bench -- large [OPERATION [EMAILS]]: measures operations that affect a whole organization, and how they slow
// down another one.
const OPERATIONS = {
  'org-cancel': { run: cancelOrganization, emails: 1_000_000 },
  'broadcast-cancel': { run: cancelBroadcast, emails: 1_000_000 },
  'org-delete': { run: deleteOrganization, emails: 500_000 },
  'contact-erase': { run: eraseContact, emails: 100_000 },
};
const [, , , name, size] = process.argv;

for (const [operation, { run, emails }] of Object.entries(OPERATIONS)) {
  if (name !== undefined && name !== operation) continue;
  const services = await Services.start();
  try {
    console.log(environment());
    const provider = await providerStub(services, 0);
    const backend = await services.migratedBackend();
    const bench = { services, backend, open: (settings) => ours(services, provider, backend, settings) };
    console.log(`${operation}: ${JSON.stringify(await run(bench, Number(size ?? emails)), rounded, 1)}`);
  } finally {
    await services.close();
  }
}

function rounded(_key, value) {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value;
}
