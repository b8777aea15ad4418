import { isDeepStrictEqual } from 'node:util';
import type { CampaignDetail } from '../../../src/campaigns/campaign-reports.js';
import type { ContactView } from '../../../src/contacts/contact-views.js';
import type { EmailDetail } from '../../../src/emails/read/email-detail.js';
import type { EmailSummary } from '../../../src/emails/read/email-list.js';
import { readUsage } from '../../../src/organizations/budgets/usage.js';
import { eventually } from '../../support/eventually.js';
import type { ModelEmail } from './email-model.js';
import { expectedContacts, expectedStats } from './expected-figures.js';
import type { ModelOrganization } from './organization-model.js';
import { ADDRESSES, CAMPAIGNS, DOUBTFUL, GHOST, SENDERS, TAGS } from './steps.js';
import type { Member, World } from './world.js';

const DAY_MS = 86_400_000;

/** Compares everything that the API shows of an organization with its model. */
export async function compare(world: World, member: Member): Promise<void> {
  const { client, model } = member;
  await same(
    'emails by filters',
    () => listed(member),
    () => filtered(world, model),
  );
  await same(
    'emails by states',
    () => byState(member),
    () => byDetails(member),
  );
  await same(
    'contacts',
    () => contacts(member),
    () => expectedContacts(model),
  );
  for (const [name, isArchived] of model.campaigns) {
    const id = await world.campaignId(member, name);
    const read = async () => {
      const { body } = await client.get<CampaignDetail>(`/api/campaigns/${id}`);
      const { totalEmails, delivered, deferred, bounced, complained, unsubscribed, suppressed } = body.stats;
      const isArchived = body.archivedAt !== null;
      return { isArchived, totalEmails, delivered, deferred, bounced, complained, unsubscribed, suppressed };
    };
    await same(name, read, () => ({ isArchived, ...expectedStats(model, name) }));
  }
  await same(
    'suppressions',
    () => suppressions(member),
    () => model.suppressions.addresses.map((address) => `${address} ${model.suppressions.strongest(address)}`).sort(),
  );
  await compareWebhooks(world, member);
  if (world.today === Math.floor(world.now() / DAY_MS))
    await same(
      'usage',
      () => usage(world, member),
      () => [0, 1, 2, 3].map((day) => model.used.get(world.today + day) ?? 0),
    );
  await same(
    'copies',
    async () => copies(world, model),
    () => model.emails.flatMap(({ recipients }) => recipients.map((one) => one.copies)),
  );
}

/** Those about erased people are deleted unless they were sent before. */
export async function compareWebhooks(world: World, member: Member): Promise<void> {
  const { emails } = member.model;
  const isAboutErased = (webhook: string) =>
    emails.some(
      ({ id, isErased, recipients }) =>
        webhook.startsWith(id) && (isErased || recipients.some((one) => one.isErased && webhook.endsWith(one.address))),
    );
  const expected = emails.flatMap(({ id, webhooks }) => webhooks.map((one) => `${id} ${one}`));
  await same(
    'webhooks',
    async () => webhooks(world, member).filter((one) => !isAboutErased(one)),
    () => expected.filter((one) => !isAboutErased(one)).sort(),
  );
}

async function same<Value>(
  what: string,
  read: () => Promise<Value>,
  expected: () => Value | Promise<Value>,
): Promise<void> {
  let seen: Value | undefined;
  const isSame = async () => isDeepStrictEqual((seen = await read()), await expected());
  await eventually(isSame).catch(async () => expect({ [what]: seen }).toEqual({ [what]: await expected() }));
}

/** Each filter, and which emails it finds. */
const FILTERS: readonly (readonly [query: string, finds: (email: ModelEmail, world: World) => boolean])[] = [
  ['', () => true],
  ...['scheduled', 'sent', 'failed', 'canceled'].map(
    (status) => [`status=${status}`, (email: ModelEmail) => email.status === status] as const,
  ),
  ...CAMPAIGNS.map((name) => [`campaignId=${name}`, ({ message }: ModelEmail) => message.campaign === name] as const),
  ...TAGS.map((tag) => [`tag=${tag}`, ({ message }: ModelEmail) => message.tags.includes(tag)] as const),
  ...SENDERS.map((from) => [`from=${from}`, ({ message }: ModelEmail) => message.from.includes(from)] as const),
  ...[...ADDRESSES, DOUBTFUL, GHOST].map(
    (address) => [`recipient=${address}`, (email: ModelEmail) => email.contacts.includes(address)] as const,
  ),
  [
    `status=sent&recipient=${ADDRESSES[0]}&tag=${TAGS[0]}`,
    (email) =>
      email.status === 'sent' && email.contacts.includes(ADDRESSES[0]!) && email.message.tags.includes(TAGS[0]!),
  ],
];

async function listed({ client }: Member): Promise<object> {
  const found: Record<string, string[]> = {};
  for (const [query] of FILTERS) {
    const { body } = await client.get<{ emails: EmailSummary[] }>(`/api/emails?${query}`);
    found[query] = body.emails.map(({ id }) => id).reverse();
  }
  return found;
}

function filtered(world: World, { emails }: ModelOrganization): object {
  const inOrder = [...emails].sort((a, b) => (a.id < b.id ? -1 : 1));
  return Object.fromEntries(
    FILTERS.map(([query, finds]) => [query, inOrder.filter((email) => finds(email, world)).map(({ id }) => id)]),
  );
}

const STATES = ['complained', 'bounced', 'delivered', 'suppressed', 'canceled', 'failed', 'sent'];

async function byState({ client }: Member): Promise<object> {
  const found: Record<string, string[]> = {};
  for (const state of STATES) {
    const { body } = await client.get<{ emails: EmailSummary[] }>(`/api/emails?state=${state}`);
    found[state] = body.emails.map(({ id }) => id).sort();
  }
  return found;
}

/** The same by what the API shows of each email: also of erased people, whose state the model does not know. */
async function byDetails({ client, model }: Member): Promise<object> {
  const details = await Promise.all(model.emails.map(({ id }) => client.get<EmailDetail>(`/api/emails/${id}`)));
  const withState = (state: string) => details.filter(({ body }) => body.recipients.some((one) => one.state === state));
  return Object.fromEntries(
    STATES.map((state) => [
      state,
      withState(state)
        .map(({ body }) => body.id)
        .sort(),
    ]),
  );
}

async function contacts({ client }: Member): Promise<object[]> {
  const { body } = await client.get<ContactView[]>('/api/contacts');
  return body
    .map(({ email, totalEmails, status, bounces, complaints, campaigns }) => {
      return { email: email.toLowerCase(), totalEmails, status, bounces, complaints, campaigns: [...campaigns].sort() };
    })
    .sort((a, b) => (a.email < b.email ? -1 : 1));
}

async function suppressions({ client }: Member): Promise<string[]> {
  const { body } = await client.get<{ suppressions: { address: string; reason: string }[] }>('/api/suppressions');
  return body.suppressions.map(({ address, reason }) => `${address.toLowerCase()} ${reason}`).sort();
}

function webhooks({ receiver }: World, { webhookPath }: Member): string[] {
  const received = new Map(
    receiver.received.filter(({ path }) => path === webhookPath).map((one) => [one.id, one.body]),
  );
  return [...received.values()]
    .map((body) => JSON.parse(body) as { type: string; data: { id: string; recipient?: string } })
    .map(({ type, data }) => `${data.id} ${type}${data.recipient ? ` ${data.recipient.toLowerCase()}` : ''}`)
    .sort();
}

function usage({ service, today }: World, { client: { organizationId } }: Member): Promise<number[]> {
  const used = (day: number) =>
    readUsage(service.database, { organizationId, plan: 'pro' }, () => undefined, day * DAY_MS + 1).then(
      ({ budgets }) => budgets.emailsPerDay.used,
    );
  return Promise.all([0, 1, 2, 3].map((day) => used(today + day)));
}

function copies({ service }: World, { emails }: ModelOrganization): number[] {
  const { messages } = service.mailServer;
  return emails.flatMap(({ id, recipients }) =>
    recipients.map(({ address }) => {
      const ofEmail = messages.filter(({ emailId }) => emailId === id);
      return ofEmail.flatMap((message) => message.recipients).filter((one) => one.toLowerCase() === address).length;
    }),
  );
}
