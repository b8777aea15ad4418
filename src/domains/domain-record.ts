/** What a record is good for. */
type RecordPurpose = 'ownership' | 'dkim' | 'spf' | 'dmarc' | 'return-path';

/** A DNS record that the owner of a domain publishes, and what the last look found. */
export interface DomainRecord {
  readonly type: string;
  readonly name: string;
  /** What the record is to be; where one is there already, what is to replace it. */
  readonly value: string;
  readonly purpose: RecordPurpose;
  /** Only ownership must be there to send from the domain; the others decide whether receivers trust the mail. */
  readonly required: boolean;
  readonly found: boolean;
  /** What is there now, at most ten records. */
  readonly seen: readonly string[];
  /** What to do, or to know, in words; null when all is well. */
  readonly advice: string | null;
}

/** What a look found of one record. */
export type Finding = Pick<DomainRecord, 'found' | 'seen' | 'advice'>;

const MOST_SEEN = 10;
const LONGEST_SEEN = 500;

export const NOT_LOOKED: Finding = {
  found: false,
  seen: [],
  advice: 'Publish this record, then let us look (verify)',
};

/** Foreign text is cut, cleaned and shown, never interpreted. */
export function shownRecords(records: readonly string[]): string[] {
  return records
    .slice(0, MOST_SEEN)
    .map((text) => text.slice(0, LONGEST_SEEN).replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, '?'));
}

export function unanswered(reason: string): Finding {
  return { found: false, seen: [], advice: `DNS gave no answer: ${reason}. Try again later` };
}
