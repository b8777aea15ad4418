import { groupBy } from '../invariants/invariant.js';
import { statusOf, type Report, type ReportType } from './report.js';

/**
 * The expected effect of reports. The model computes it independently of the service: from the whole set at once,
 * without an order of arrival.
 */
export interface Outcome {
  /** By email and address. */
  readonly recipients: ReadonlyMap<string, RecipientOutcome>;
  /** The number of recipients for which each fact was ever reported. */
  readonly campaign: Readonly<Record<CampaignNumber, number>>;
  /** By address: the number of emails that bounced, and of emails that were complained about. */
  readonly contacts: ReadonlyMap<string, { readonly bounces: number; readonly complaints: number }>;
  /** Address and reason. */
  readonly suppressions: ReadonlySet<string>;
}

export interface RecipientOutcome {
  readonly email: string;
  readonly address: string;
  readonly state: string;
  readonly reason: string | null;
  readonly smtpStatus: string | null;
  /** The types of its reports, which limit the possible webhooks. */
  readonly reported: ReadonlySet<ReportType>;
  readonly isUnsubscribed: boolean;
}

export type CampaignNumber = 'delivered' | 'deferred' | 'bounced' | 'complained' | 'unsubscribed' | 'suppressed';

/** Strongest first; the details of a hard bounce precede those of a soft one. */
const STATES: readonly (readonly [type: ReportType, state: string])[] = [
  ['spamreport', 'complained'],
  ['bounce hard', 'bounced'],
  ['bounce soft', 'bounced'],
  ['delivered', 'delivered'],
  ['dropped: Bounced Address', 'suppressed'],
  ['dropped: Spam Content', 'failed'],
  ['deferred', 'deferred'],
];

const SOFT_BOUNCE_LIMIT = 5;

export function recipientKey(email: string, address: string): string {
  return `${email} ${address}`;
}

/** @param reports without repetitions */
export function outcomeOf(reports: readonly Report[]): Outcome {
  const recipients = new Map<string, RecipientOutcome>();
  for (const [key, own] of groupBy(reports, ({ email, address }) => recipientKey(email, address))) {
    recipients.set(key, recipientOutcome(own));
  }
  const all = [...recipients.values()];
  const count = (holds: (one: RecipientOutcome) => boolean) => all.filter(holds).length;
  const contacts = new Map<string, { bounces: number; complaints: number }>();
  for (const [address, own] of groupBy(all, (one) => one.address)) {
    const bounces = own.filter(hasBounced).length;
    contacts.set(address, { bounces, complaints: own.filter(({ reported }) => reported.has('spamreport')).length });
  }
  return {
    recipients,
    contacts,
    campaign: {
      delivered: count(({ reported }) => reported.has('delivered')),
      deferred: count(({ reported }) => reported.has('deferred')),
      bounced: count(hasBounced),
      complained: count(({ reported }) => reported.has('spamreport')),
      unsubscribed: count(({ isUnsubscribed }) => isUnsubscribed),
      suppressed: count(({ reported }) => reported.has('dropped: Bounced Address')),
    },
    suppressions: new Set(
      [...groupBy(reports, ({ address }) => address)].flatMap(([address, own]) =>
        suppressionsOf(own).map((reason) => `${address} ${reason}`),
      ),
    ),
  };
}

function recipientOutcome(own: readonly Report[]): RecipientOutcome {
  const { email, address } = own[0]!;
  const reported = new Set(own.map(({ type }) => type));
  const [type, state] = STATES.find(([each]) => reported.has(each)) ?? [undefined, 'sent'];
  const decisive = type === undefined ? undefined : latest(own.filter((report) => report.type === type));
  const isDrop = decisive?.type.startsWith('dropped: ');
  return {
    ...{ email, address, state, reported },
    reason: (isDrop ? decisive?.type.replace('dropped: ', '') : decisive?.text) ?? null,
    smtpStatus: decisive ? statusOf(decisive.type) : null,
    isUnsubscribed: hasUnsubscribed(own),
  };
}

function suppressionsOf(own: readonly Report[]): string[] {
  const types = new Set(own.map(({ type }) => type));
  const softs = own.filter(({ type }) => type === 'bounce soft').length;
  if (softs >= SOFT_BOUNCE_LIMIT && types.has('delivered')) {
    throw new Error(`The order of arrival decides whether ${own[0]!.address} is suppressed`);
  }
  const isUndeliverable = types.has('bounce hard') || types.has('dropped: Bounced Address');
  return [
    ...(isUndeliverable || softs >= SOFT_BOUNCE_LIMIT ? ['bounce'] : []),
    ...(types.has('spamreport') ? ['complaint'] : []),
    ...(hasUnsubscribed(own) ? ['unsubscribe'] : []),
  ];
}

function hasBounced({ reported }: RecipientOutcome): boolean {
  return reported.has('bounce hard') || reported.has('bounce soft');
}

function hasUnsubscribed(own: readonly Report[]): boolean {
  const changes = own.filter(({ type }) => type === 'unsubscribe' || type === 'group_resubscribe');
  return latest(changes)?.type === 'unsubscribe';
}

function latest(reports: readonly Report[]): Report | undefined {
  return [...reports].sort((one, other) => other.at - one.at)[0];
}
