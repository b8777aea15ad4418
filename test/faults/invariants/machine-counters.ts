import {
  ENGAGEMENT_CLASSES,
  isMachine,
  machineClassOf,
  type MachineClass,
  type VerdictCode,
} from '../../../src/events/verdict.js';
import type { Observations, StoredEmail, StoredEvent } from '../observations.js';
import { countBy, differences, groupBy } from './invariant.js';

interface MachineCounters {
  readonly opens: number;
  readonly clicks: number;
  readonly machineOpens: number;
  readonly machineClicks: number;
}

/**
 * L5, people and machines: each machine counter equals the number of events with a machine's verdict, including
 * relabelled ones. An email counts as a unique open once a person has opened it.
 */
export function* machineCountersMatch({
  stored: { emails, events, contacts, campaigns },
}: Observations): Iterable<string> {
  const machines = events.filter(({ ordinal, verdict }) => ordinal === 1 && isMachine(verdict));
  const byEmail = groupBy(machines, ({ emailId }) => emailId);
  const hitsOf = (of: readonly StoredEmail[]): StoredEvent[] => of.flatMap(({ id }) => byEmail.get(id) ?? []);
  for (const email of emails) {
    const { id } = email;
    const own = hitsOf([email]);
    yield* counted(`the email ${id}`, email, own);
    yield* differences(
      `clicks by machines of ${id} on the link`,
      table(email.machineClicksByPosition),
      positionsOf(own),
    );
    const classes = countBy(own, ({ verdict }) => String(ENGAGEMENT_CLASSES.indexOf(classOf(verdict))));
    yield* differences(`hits by machines of ${id}, class`, table(email.machines), classes);
    if (email.personOpened !== email.opens > email.machineOpens) yield `the unique open of ${id} is wrong`;
    if (email.personClicked !== email.clicks > email.machineClicks) yield `the unique click of ${id} is wrong`;
  }
  for (const contact of contacts) {
    const mail = emails.filter((email) => email.contacts.includes(contact.address));
    yield* counted(`the contact ${contact.address}`, contact, hitsOf(mail));
  }
  for (const campaign of campaigns) {
    const mail = emails.filter((email) => email.campaign === campaign.name);
    const own = hitsOf(mail);
    const name = `the campaign ${campaign.name}`;
    yield* counted(name, campaign, own);
    const clicks = own.filter(({ type }) => type === 'clicked');
    const byUrl = countBy(clicks, ({ url }) => url!);
    yield* differences(`clicks by machines in ${name} on`, table(campaign.machineLinks), byUrl);
    const byClass = countBy(own, ({ verdict }) => classOf(verdict));
    yield* differences(`hits by machines in ${name}, class`, table(campaign.machines), byClass);
    const [opened, clicked] = [mail.filter((email) => email.personOpened), mail.filter((email) => email.personClicked)];
    if (campaign.uniqueOpens !== opened.length) yield `unique opens of ${name}: ${campaign.uniqueOpens}`;
    if (campaign.uniqueClicks !== clicked.length) yield `unique clicks of ${name}: ${campaign.uniqueClicks}`;
  }
}

function* counted(of: string, counters: MachineCounters, machines: readonly StoredEvent[]): Iterable<string> {
  const { opens, clicks, machineOpens, machineClicks } = counters;
  const opened = machines.filter(({ type }) => type === 'opened').length;
  if (machineOpens !== opened) yield `opens by machines of ${of}: ${machineOpens}, not ${opened}`;
  const clicked = machines.length - opened;
  if (machineClicks !== clicked) yield `clicks by machines of ${of}: ${machineClicks}, not ${clicked}`;
  if (machineOpens > opens || machineClicks > clicks) yield `${of} has more machines than opens or clicks`;
}

function classOf(verdict: VerdictCode): MachineClass {
  return machineClassOf(verdict)!;
}

function positionsOf(events: readonly StoredEvent[]): ReadonlyMap<string, number> {
  return countBy(
    events.filter(({ type }) => type === 'clicked'),
    ({ position }) => String(position),
  );
}

function table(record: Readonly<Record<string, number>>): ReadonlyMap<string, number> {
  return new Map(Object.entries(record));
}
