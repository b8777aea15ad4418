import { Injectable } from '@nestjs/common';
import { Budgets, type BudgetOwner, type Spending } from '../../organizations/budgets/budgets.js';
import type { NewEmail } from './new-email.js';

/** The budgets of an organization that its emails use. */
@Injectable()
export class EmailBudget {
  constructor(private readonly budgets: Budgets) {}

  /**
   * Takes the units that the emails need from the budgets, then stores the emails. Returns the units of emails that are
   * not stored. A scheduled email counts for the day on which it is sent.
   * @param store resolves with undefined when it stored nothing
   * @param storedOf the emails among them that it stored; by default all
   * @throws BudgetExceededError
   */
  async spend<Stored>(
    owner: BudgetOwner,
    emails: readonly NewEmail[],
    store: () => Promise<Stored | undefined>,
    storedOf: (stored: Stored) => readonly NewEmail[] = () => emails,
  ): Promise<Stored | undefined> {
    const taken: Taken[] = [];
    let counted: readonly NewEmail[] = [];
    try {
      for (const need of needsOf(emails)) {
        const spending = await this.budgets.take(owner, need.budget, need.unitsOf(emails), need.at);
        taken.push({ spending, unitsOf: need.unitsOf });
      }
      const stored = await store();
      if (stored !== undefined) counted = storedOf(stored);
      return stored;
    } finally {
      if (counted.length < emails.length) for (const { spending, unitsOf } of taken) spending.correct(unitsOf(counted));
    }
  }
}

/** A budget that emails use. */
interface Need {
  readonly budget: 'emailsPerDay' | 'storedBytes';
  /** A time of its period; absent for now. */
  readonly at?: Date;
  readonly unitsOf: (emails: readonly NewEmail[]) => number;
}

interface Taken extends Pick<Need, 'unitsOf'> {
  readonly spending: Spending;
}

function needsOf(emails: readonly NewEmail[]): Need[] {
  const days = new Map(emails.map((email) => [dayOf(email), timeOf(email)]));
  const recipients = [...days].map(([day, at]): Need => ({
    budget: 'emailsPerDay',
    at,
    unitsOf: (some) => sum(some.filter((email) => dayOf(email) === day).map(recipientsOf)),
  }));
  return [...recipients, { budget: 'storedBytes', unitsOf: (some) => sum(some.map(storedBytesOf)) }];
}

/** Its HTML, text and metadata. */
export function contentBytesOf({ html, text, metadata }: NewEmail): number {
  return bytesOf([html, text ?? '', jsonOf(metadata)]);
}

/** Without attachments, whose contents are counted when they are stored. */
function storedBytesOf(email: NewEmail): number {
  return contentBytesOf(email) + bytesOf([email.subject, jsonOf(email.headers)]);
}

function jsonOf(value: object | null): string {
  return value === null ? '' : JSON.stringify(value);
}

function bytesOf(parts: readonly string[]): number {
  return sum(parts.map((part) => Buffer.byteLength(part)));
}

const DAY_MS = 86_400_000;

/** When its recipients get the email. */
function timeOf({ sendAt, createdAt }: NewEmail): Date {
  return sendAt ?? createdAt;
}

function dayOf(email: NewEmail): number {
  return Math.floor(timeOf(email).getTime() / DAY_MS);
}

function recipientsOf({ recipients: { to, cc, bcc } }: NewEmail): number {
  return to.length + cc.length + bcc.length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
