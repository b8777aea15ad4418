import { InvalidFieldError } from '../../platform/errors/domain-error.js';

/** Number of rows to seed. */
export interface SeedSizes {
  /** All campaigns; the first of them is the big one. */
  readonly campaigns: number;
  /** Emails of the big campaign, sent to each contact in turn. */
  readonly emails: number;
  readonly contacts: number;
  /** Emails to a single contact, spread over the other campaigns. */
  readonly regularEmails: number;
  /** All events: one `sent` for each email, the rest opens and clicks. */
  readonly events: number;
}

const FULL: SeedSizes = {
  campaigns: 1_000,
  emails: 1_000_000,
  contacts: 1_000_000,
  regularEmails: 100_000,
  events: 10_000_000,
};

/**
 * Returns the full sizes, each scaled or replaced by its own option. Campaigns are not scaled: a thousand fill one
 * page.
 * @throws InvalidFieldError
 */
export function readSizes(options: Readonly<Record<string, string | undefined>>): SeedSizes {
  const scale = readNumber('scale', options.scale ?? '1');
  if (scale <= 0 || scale > 10) throw new InvalidFieldError('scale', 'must be a number above 0 and at most 10');
  const scaled = (name: keyof SeedSizes): number => {
    const text = options[name];
    return text === undefined ? Math.ceil(FULL[name] * (name === 'campaigns' ? 1 : scale)) : readNumber(name, text);
  };
  const sizes = {
    campaigns: scaled('campaigns'),
    emails: scaled('emails'),
    contacts: scaled('contacts'),
    regularEmails: scaled('regularEmails'),
    events: scaled('events'),
  };
  for (const [name, size] of Object.entries(sizes)) {
    if (!Number.isInteger(size) || size < 2) throw new InvalidFieldError(name, 'must be a whole number from 2');
  }
  if (sizes.events < sizes.emails + sizes.regularEmails)
    throw new InvalidFieldError('events', 'must be at least the number of emails, because each has a sent event');
  return sizes;
}

function readNumber(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) throw new InvalidFieldError(name, 'must be a number');
  return number;
}
