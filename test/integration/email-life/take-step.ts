import { settleUnknownOutcome } from '../../../src/emails/delivery/settle-unknown-outcome.js';
import type { SmtpStep } from '../../support/smtp-stub.js';
import { cancelOrganizationMail } from '../../../src/organizations/deletion/cancel-organization-mail.js';
import { resumeSending, suspendOrganization } from '../../../src/organizations/guard/guard-change.js';
import { eventually } from '../../support/eventually.js';
import { erasePerson } from '../../support/erase-person.js';
import { postToSendGridRoute, sendGridEvent } from '../../support/sendgrid-calls.js';
import type { Behavior, Fact, ModelEmail } from './email-model.js';
import { compareWebhooks } from './compare.js';
import { comesDue, type Member, type World } from './world.js';
import { repeat, send, sendBatch } from './send-steps.js';
import type { Step } from './steps.js';

const DAY_MS = 86_400_000;
const SERVER_STEPS: Record<Behavior, SmtpStep | undefined> = {
  accepts: undefined,
  defers: { phase: 'rcpt', reply: '450 4.2.1 Busy' },
  refuses: { phase: 'rcpt', reply: '550 5.7.1 Not here' },
  'does-not-exist': { phase: 'rcpt', reply: '550 5.1.1 No such user' },
  'drops-and-keeps': { phase: 'dot', fault: 'drop', accepts: true },
  'drops-and-loses': { phase: 'dot', fault: 'drop' },
};
const EVENTS: Record<Fact, object> = {
  deferred: { event: 'deferred' },
  delivered: { event: 'delivered' },
  'soft-bounced': { event: 'bounce', type: 'blocked' },
  'hard-bounced': { event: 'bounce', type: 'bounce', status: '5.1.1' },
  complained: { event: 'spamreport' },
  dropped: { event: 'dropped', reason: 'Bounced Address' },
  unsubscribed: { event: 'unsubscribe' },
};

/** Does in the service and in the model what the step says. A step that makes no sense now does nothing. */
export async function takeStep(world: World, step: Step): Promise<void> {
  if (step.do === 'server changes') return changeServer(world, step.address, step.behavior);
  const member = world.members[step.by]!;
  const { client, model } = member;
  const email = 'email' in step ? chooseEmail(model.emails, step.do, step.email) : undefined;
  if ('email' in step && !email) return;
  switch (step.do) {
    case 'report':
      return report(world, member, email!, step.recipient, step.fact);
    case 'unsubscribe':
    case 'subscribe':
      return changeSubscription(world, member, email!, step.do);
    case 'settle': {
      const isSettled = await settleUnknownOutcome(world.service.database, email!.id, step.as, () => []);
      expect(isSettled).toBe(model.settle(email!, step.as));
      model.deliver();
      return world.show(email!);
    }
    case 'scheduled time comes': {
      const due = model.emails.filter(({ status }) => status === 'scheduled');
      for (const one of due) one.status = 'queued';
      return comesDue(
        world.service,
        due.map(({ id }) => id),
      );
    }
    case 'suspend':
      return suspend(world, member, step.cancels);
    case 'resume': {
      expect(await resumeSending(world.service.database, client.organizationId)).toBe(model.isSuspended);
      model.isSuspended = false;
      return world.forgetKeys();
    }
    default: // The others are requests with the organization's key.
  }
  if (model.isSuspended) return expect((await client.get('/api/emails')).status).toBe(403);
  switch (step.do) {
    case 'send':
      return send(world, member, step.message, step.key, step.waits);
    case 'repeat':
      return repeat(member, step.request, step.changed);
    case 'batch':
      return sendBatch(world, member, step.messages, step.key);
    case 'reschedule': {
      const isScheduled = email!.status === 'scheduled';
      const sendAt = world.inDays(step.inDays);
      const { status } = await client.patch(`/api/emails/${email!.id}`, { sendAt: new Date(sendAt).toISOString() });
      expect(status).toBe(isScheduled ? 200 : 409);
      if (!isScheduled) return;
      model.use(Math.floor(email!.sendAt! / DAY_MS), -email!.recipients.length);
      model.use(Math.floor(sendAt / DAY_MS), email!.recipients.length);
      email!.sendAt = sendAt;
      if (step.inDays === 0) email!.status = 'queued';
      return;
    }
    case 'cancel': {
      const wasScheduled = email!.status === 'scheduled';
      const isCanceled = model.cancel(email!);
      const cancel = async () => (await client.post(`/api/emails/${email!.id}/cancel`)).status;
      // A worker may be trying it at this moment.
      if (isCanceled) await eventually(async () => (await cancel()) === 200);
      else expect(await cancel()).toBe(409);
      if (isCanceled && wasScheduled) model.use(Math.floor(email!.sendAt! / DAY_MS), -email!.recipients.length);
      return;
    }
    case 'retry': {
      const { status } = await client.post(`/api/emails/${email!.id}/retry`);
      expect(status).toBe(model.retry(email!, world.today) ? 200 : 409);
      model.deliver();
      // It may fail as before.
      return world.show(email!);
    }
    case 'suppress': {
      const isKnown = model.suppressions.has(step.address, 'manual');
      model.suppressions.add(step.address, 'manual');
      const { body } = await client.post('/api/suppressions', { address: step.address.toUpperCase() });
      return expect(body).toEqual({ added: Number(!isKnown), known: Number(isKnown) });
    }
    case 'unsuppress': {
      const { status } = await client.delete(`/api/suppressions/${step.address}`);
      return expect(status).toBe(model.suppressions.remove(step.address) ? 204 : 404);
    }
    case 'erase': {
      await compareWebhooks(world, member);
      await erasePerson(client, step.address);
      model.erase(step.address);
      member.requests = member.requests.filter(
        ({ body }) => !JSON.stringify(body).toLowerCase().includes(step.address),
      );
      return;
    }
    case 'archive': {
      const id = await world.campaignId(member, step.campaign);
      if (id === undefined) return;
      const { status } = await client.post(`/api/campaigns/${id}/archive`);
      expect(status).toBe(model.campaigns.get(step.campaign) ? 400 : 200);
      model.campaigns.set(step.campaign, true);
    }
  }
}

/** Most steps are about an email to which they can happen. */
const CAN_HAPPEN: Partial<Record<Step['do'], (email: ModelEmail) => boolean>> = {
  reschedule: ({ status }) => status === 'scheduled',
  cancel: ({ status }) => status === 'scheduled' || status === 'queued',
  retry: ({ status }) => status === 'failed',
  settle: ({ isInDoubt }) => isInDoubt,
  report: ({ recipients }) => recipients.some(({ copies }) => copies > 0),
  unsubscribe: ({ message, status }) => message.unsubscribe && status === 'sent',
  subscribe: ({ recipients }) => recipients.some(({ facts }) => facts.has('unsubscribed')),
};

function chooseEmail(emails: readonly ModelEmail[], name: Step['do'], number: number): ModelEmail | undefined {
  const fitting = number % 5 === 0 ? [] : emails.filter(CAN_HAPPEN[name]!);
  const chosen = fitting.length > 0 ? fitting : emails;
  return chosen[number % chosen.length];
}

function changeServer(world: World, address: string, behavior: Behavior): void {
  const step = SERVER_STEPS[behavior];
  world.servers.set(address, behavior);
  for (const written of [address, address.replace(/^[a-z]+/, (name) => name.toUpperCase())]) {
    world.service.mailServer.scripts.clear(written);
    if (step) world.service.mailServer.scripts.add(written, step);
  }
}

async function report(world: World, { model }: Member, email: ModelEmail, index: number, fact: Fact): Promise<void> {
  const reached = email.recipients.filter(({ copies, facts }) => copies > 0 && !facts.has(fact));
  const recipient = reached[index % reached.length];
  if (!recipient) return;
  if (!recipient.isErased) model.learn(email, recipient, fact);
  world.reports += 1;
  const timestamp = Math.floor(world.now() / 1000) + world.reports;
  const event = { email: recipient.address, mailbeacon_email_id: email.id, timestamp, ...EVENTS[fact] };
  const one = sendGridEvent('', event);
  const body = JSON.stringify([one, one]);
  const response = await postToSendGridRoute(world.service.address, body, world.eventKey.sign(body));
  expect(response.status).toBe(200);
  await world.storeEvents();
}

async function changeSubscription(world: World, { model }: Member, email: ModelEmail, choice: string): Promise<void> {
  const message = world.service.mailServer.messages.find(({ emailId }) => emailId === email.id);
  if (!email.message.unsubscribe || !message) return;
  const head = message.content.toString('latin1').replace(/\r\n[ \t]+/g, '');
  const address = /^List-Unsubscribe: <([^>]+)>/im.exec(head)![1]!;
  const body = new URLSearchParams(
    choice === 'unsubscribe' ? { 'List-Unsubscribe': 'One-Click' } : { choice: 'resubscribe' },
  );
  if (choice === 'subscribe' && !email.recipients[0]!.facts.has('unsubscribed')) return;
  const { status } = await world.service.track(address, { method: 'POST', body });
  expect(status).toBe(200);
  await world.storeEvents();
  if (email.isErased) return;
  if (choice === 'unsubscribe') model.unsubscribe(email);
  else model.subscribeAgain(email);
}

async function suspend(world: World, { client, model }: Member, cancels: boolean): Promise<void> {
  await suspendOrganization(world.service.database, client.organizationId, 'It sends spam');
  model.isSuspended = true;
  world.forgetKeys();
  if (!cancels) return;
  await cancelOrganizationMail(world.service.database, client.organizationId);
  model.cancelAll();
}
