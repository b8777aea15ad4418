import type { Report, ReportType } from './report.js';

/** A recipient about whose email the provider reports. */
export interface ReportedRecipient {
  readonly email: string;
  /** In lower case. */
  readonly address: string;
}

/**
 * The reports about each recipient, in turn. An address has at most three soft bounces: with more of them between
 * deliveries, the order of arrival would decide whether it is suppressed.
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

/** Plans about `count` reports, the same number for each recipient, with ascending times. */
export function planReports(readers: readonly ReportedRecipient[], count: number, startSeconds: number): Report[] {
  const perReader = Math.max(7, Math.round(count / readers.length));
  return readers.flatMap((reader, index) => {
    const sequence = REPORT_SEQUENCES[index % REPORT_SEQUENCES.length]!;
    const types = [...Array.from({ length: perReader - sequence.length }, () => 'deferred' as const), ...sequence];
    return shuffled(types).map((type, place) => reportOf(reader, type, startSeconds + place));
  });
}

/** Plans one soft bounce for each recipient: several emails to one address make a series. */
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
