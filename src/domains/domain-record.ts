export const RECORD_PURPOSES = ['ownership', 'dkim', 'spf', 'dmarc', 'return-path', 'tracking'] as const;

type RecordPurpose = (typeof RECORD_PURPOSES)[number];

/** A DNS record that the owner of a domain publishes, and the result of the last check. */
export interface DomainRecord {
  readonly type: string;
  readonly name: string;
  /** Value to publish. It replaces a record that already exists for the same purpose. */
  readonly value: string;
  readonly purpose: RecordPurpose;
  /** True if the use of the domain requires it. The other records decide whether receivers trust the mail. */
  readonly required: boolean;
  readonly found: boolean;
  /** Published records found by the check, at most ten. */
  readonly seen: readonly string[];
  /** Advice for the owner; null when nothing is wrong. */
  readonly advice: string | null;
}

/** Result of a check for one record. */
export type RecordCheck = Pick<DomainRecord, 'found' | 'seen' | 'advice'>;

const MAX_SEEN = 10;
const LONGEST_SEEN = 500;

export const NOT_CHECKED: RecordCheck = {
  found: false,
  seen: [],
  advice: 'Publish this record, then verify the domain',
};

/** Truncates and sanitizes text from other parties' name servers before it is shown. */
export function shownRecords(records: readonly string[]): string[] {
  return records.slice(0, MAX_SEEN).map((text) => withoutControls(text.slice(0, LONGEST_SEEN)));
}

/** A record may have any bytes, but Postgres stores no NUL. */
export function withoutControls(record: string): string {
  return record.replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, '?');
}

export function noDnsResponse(reason: string): RecordCheck {
  return { found: false, seen: [], advice: `DNS did not respond: ${reason}. Try again later` };
}
