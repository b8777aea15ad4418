import type { ApiResponse } from '../../support/service.js';
import type { Message } from './steps.js';
import type { Member, World } from './world.js';

interface SendBody {
  readonly emailTrackingId: string;
  readonly from: string;
  readonly id: string;
  readonly status?: string;
  readonly error?: string;
  readonly suppressed?: readonly { address: string; reason: string }[];
  readonly emails?: readonly SendBody[];
}
type Sent = ApiResponse<SendBody>;

const DAY_MS = 86_400_000;
function bodyOf(world: World, { from, to, cc, bcc, campaign, tags, unsubscribe, inDays }: Message): object {
  const written = (list: Message['to']) => (list.length === 1 ? list[0]!.written : list.map((one) => one.written));
  return {
    ...{ from, subject: 'S', htmlContent: '<p>x</p>', to: written(to), tags },
    ...(cc.length > 0 && { cc: written(cc) }),
    ...(bcc.length > 0 && { bcc: written(bcc) }),
    ...(campaign !== undefined && { campaignId: campaign }),
    ...(unsubscribe && { unsubscribe }),
    ...(inDays !== undefined && { sendAt: new Date(world.inDays(inDays)).toISOString() }),
  };
}

function accept(world: World, { model }: Member, message: Message): ReturnType<typeof model.accept> {
  const sendAt = message.inDays === undefined ? undefined : world.inDays(message.inDays);
  return model.accept(message, sendAt === undefined ? world.today : Math.floor(sendAt / DAY_MS), sendAt);
}

export async function send(
  world: World,
  member: Member,
  message: Message,
  hasKey: boolean,
  waits: boolean,
): Promise<void> {
  const { client, model } = member;
  const body = bodyOf(world, message);
  const email = accept(world, member, message);
  model.deliver();
  const isFinal = typeof email !== 'string' && ['sent', 'failed'].includes(email.status);
  const key = hasKey ? world.newKey() : undefined;
  const headers = { ...(key && { 'idempotency-key': key }), ...(!(waits && isFinal) && { prefer: 'respond-async' }) };
  const response = await client.post<SendBody>('/api/send', body, headers);
  if (typeof email === 'string')
    return expect([email, response.status]).toEqual([email, email === 'archived' ? 400 : 422]);
  const status = !(waits && isFinal) ? 202 : email.status === 'sent' ? 200 : 500;
  expect(response.status).toBe(status);
  if (key) member.requests.push({ path: '/api/send', key, body, response });
  await world.name(member, email, status === 500 ? undefined : response.body);
}

export async function sendBatch(
  world: World,
  member: Member,
  messages: readonly Message[],
  hasKey: boolean,
): Promise<void> {
  const emails = messages.map((message) => accept(world, member, message));
  const key = hasKey && emails.some((email) => typeof email !== 'string') ? world.newKey() : undefined;
  const body = { emails: messages.map((message) => bodyOf(world, message)) };
  const response = await member.client.post<SendBody>('/api/send/batch', body, key ? { 'idempotency-key': key } : {});
  expect(response.status).toBe(202);
  const isRefused = response.body.emails!.map(({ error }) => error !== undefined);
  expect(isRefused).toEqual(emails.map((email) => typeof email === 'string'));
  if (key) member.requests.push({ path: '/api/send/batch', key, body, response });
  for (const [index, email] of emails.entries())
    if (typeof email !== 'string') await world.name(member, email, response.body.emails![index]);
}

export async function repeat({ client, requests }: Member, request: number, changed: boolean): Promise<void> {
  const first = requests[request % requests.length];
  if (!first) return;
  const body = changed ? { ...first.body, other: 1, subject: 'Other', emails: [] } : first.body;
  const again: Sent = await client.post(first.path, body, { 'idempotency-key': first.key, prefer: 'respond-async' });
  if (changed) return expect([400, 422]).toContain(again.status);
  expect([again.headers.get('idempotent-replayed'), again.status, again.body]).toEqual([
    'true',
    first.response.status,
    first.response.body,
  ]);
}
