import { DnsServer } from '../support/dns-server.js';
import { DomainOwner } from '../support/domain-owner.js';
import { eventually } from '../support/eventually.js';
import { runRecurringJobs } from '../support/recurring-runs.js';
import { SendGridStub } from '../support/sendgrid-stub.js';
import { TestService } from '../support/service.js';
import { throughSendGrid } from '../support/through-sendgrid.js';

let dns: DnsServer;
let sendGrid: SendGridStub;
let service: TestService;
let owner: DomainOwner;

beforeAll(async () => {
  dns = await DnsServer.listen();
  sendGrid = await SendGridStub.listen();
  service = await TestService.start({ environment: { ...throughSendGrid(sendGrid), DNS_SERVERS: dns.address } });
  owner = new DomainOwner(await service.organization(), dns);
});
afterAll(async () => {
  await service?.stop();
  await sendGrid?.close();
  await dns?.close();
});

const removeUnused = () => runRecurringJobs(service.settings.REDIS_URL, ['recheck-domains']);

/** The domains of the account with this name. */
const atSendGrid = (name: string) => sendGrid.domains.stored.filter(({ domain }) => domain === name);

const addToAccount = (domain: string) =>
  sendGrid.domains.respond('POST', '/v3/whitelabel/domains', JSON.stringify({ domain }));

it('two checks at the same time create a domain once, and it is removed with the domain', async () => {
  const domain = await owner.add('double.test');
  owner.publishOwnership(domain);
  let go = (): void => undefined;
  const after = new Promise<void>((resolve) => (go = resolve));
  sendGrid.scripts.add('domains', { status: 200, body: [], after }, 2);
  const before = sendGrid.scripts.played;
  const checks = [owner.verify(domain), owner.verify(domain)];
  await eventually(() => sendGrid.scripts.played === before + 2);
  go();
  const names = (await Promise.all(checks)).map(({ records }) => records.map(({ name }) => name));
  expect(names[0]).toHaveLength(5);
  expect(names[1]).toEqual(names[0]);
  expect(atSendGrid('double.test')).toHaveLength(1);
  await owner.remove(domain);
  await removeUnused();
  expect(atSendGrid('double.test')).toEqual([]);
});

it('a domain that was created twice over time is removed twice', async () => {
  const domain = await owner.addOwned('again.test');
  const [first] = atSendGrid('again.test');
  sendGrid.domains.stored = sendGrid.domains.stored.filter(({ id }) => id !== first!.id);
  await owner.verify(domain);
  expect(atSendGrid('again.test')).toHaveLength(1);
  sendGrid.domains.stored.push(first!);
  await removeUnused();
  await owner.remove(domain);
  await removeUnused();
  expect(atSendGrid('again.test')).toEqual([]);
});

it('a copy that cannot be removed at once is removed with the domain, which has the records of the other', async () => {
  const domain = await owner.add('stubborn.test');
  owner.publishOwnership(domain);
  addToAccount('stubborn.test');
  const [first] = atSendGrid('stubborn.test');
  sendGrid.scripts.add('domains', { status: 200, body: [] }, 1);
  sendGrid.domains.kept = first!.id + 1;
  const { records } = await owner.verify(domain);
  expect(records.map(({ name }) => name)).toContain(`em${first!.id}.stubborn.test`);
  expect(atSendGrid('stubborn.test')).toHaveLength(2);
  sendGrid.domains.kept = undefined;
  await owner.remove(domain);
  await removeUnused();
  expect(atSendGrid('stubborn.test')).toEqual([first]);
});

it('of several domains of the same name in the account, a valid one is used', async () => {
  for (let times = 0; times < 2; times++) addToAccount('several.test');
  const [, second] = atSendGrid('several.test');
  Object.assign(second!, { valid: true });
  const { records } = await owner.addOwned('several.test');
  expect(records.map(({ name }) => name)).toContain(`em${second!.id}.several.test`);
});

it('no domain is created while the list of those in the account is unreadable', async () => {
  sendGrid.scripts.add('domains', { status: 200, body: { result: [] } }, 1);
  expect((await owner.addOwned('unreadable.test')).records).toHaveLength(2);
  expect(atSendGrid('unreadable.test')).toEqual([]);
});
