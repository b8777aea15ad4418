import type { Report, ReportType } from './report.js';

/** A recipient of a sent email of the scenario. */
export interface ReportedRecipient {
  readonly email: string;
  /** In lower case. */
  readonly address: string;
}

/**
 * What becomes of recipients, in turn. At most three soft bounces of an address: whether a longer run suppresses it
 * while deliveries come in between depends on the order of arrival.
 */
const REPORT_SEQUENCES: readonly (readonly ReportType[])[] = [
  ['delivered', 'delivered'],
  ['bounce hard'],
  ['delivered', 'spamreport', 'spamreport'],
  ['bounce soft', 'delivered', 'bounce soft'],
  ['dropped: Bounced Address'],
  ['delivered', 'unsubscribe', 'group_resubscribe', 'unsubscribe'],
  ['dropped: Spam Content'],
  ['delivered', 'unsubscribe', 'group_resubscribe'],
  ['bounce soft', 'bounce hard', 'bounce soft', 'dropped: Bounced Address', 'delivered', 'spamreport'],
  [],
];

/** Reports about each reader, as many as make about `count` together, with times in the order of what happens. */
export function planReports(readers: readonly ReportedRecipient[], count: number, startSeconds: number): Report[] {
  const perReader = Math.max(7, Math.round(count / readers.length));
  return readers.flatMap((reader, index) => {
    const sequence = REPORT_SEQUENCES[index % REPORT_SEQUENCES.length]!;
    const types = [...Array.from({ length: perReader - sequence.length }, () => 'deferred' as const), ...sequence];
    return shuffled(types).map((type, place) => reportOf(reader, type, startSeconds + place));
  });
}

/** One soft bounce of each reader: several emails to one address make a run. */
export function planSoftBounces(readers: readonly ReportedRecipient[], startSeconds: number): Report[] {
  return readers.map((reader, place) => reportOf(reader, 'bounce soft', startSeconds + place));
}

function reportOf(reader: ReportedRecipient, type: ReportType, at: number): Report {
  return { ...reader, type, at, text: `Said at ${at} about ${type}` };
}

export function shuffled<Item>(items: readonly Item[]): Item[] {
  const all = [...items];
  for (let at = all.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [all[at], all[other]] = [all[other]!, all[at]!];
  }
  return all;
}
