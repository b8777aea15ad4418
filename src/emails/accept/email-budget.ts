import { Injectable } from '@nestjs/common';
import { Budgets, type BudgetOwner, type Spending } from '../../organizations/budgets/budgets.js';
import type { NewEmail } from './new-email.js';

/** The budgets of an organization that its emails use. */
@Injectable()
export class EmailBudget {
  constructor(private readonly budgets: Budgets) {}

  /**
   * Takes the units that the emails need from the budgets, then stores the emails. Returns the units if the emails are
   * not stored. A scheduled email counts for the day on which it is sent.
   * @param store resolves with undefined when it stored nothing
   * @throws BudgetExceededError
   */
  async spend<Stored>(
    owner: BudgetOwner,
    emails: readonly NewEmail[],
    store: () => Promise<Stored | undefined>,
  ): Promise<Stored | undefined> {
    const taken: Spending[] = [];
    let stored: Stored | undefined;
    try {
      for (const [day, recipients] of recipientsByDay(emails)) {
        taken.push(await this.budgets.take(owner, 'emailsPerDay', recipients, day));
      }
      taken.push(
        await this.budgets.take(
          owner,
          'storedBytes',
          emails.map(bytesOf).reduce((all, one) => all + one, 0),
        ),
      );
      stored = await store();
      return stored;
    } finally {
      if (stored === undefined) for (const spending of taken) spending.correct(0);
    }
  }
}

/** Without attachments, whose contents are counted when they are stored. */
function bytesOf({ html, text, metadata }: NewEmail): number {
  const parts = [html, text ?? '', metadata === null ? '' : JSON.stringify(metadata)];
  return parts.reduce((bytes, part) => bytes + Buffer.byteLength(part), 0);
}

const DAY_MS = 86_400_000;

/** Recipients by a time of the day on which they get the email. */
function recipientsByDay(emails: readonly NewEmail[]): Map<Date, number> {
  const days = new Map<number, [Date, number]>();
  for (const { sendAt, createdAt, recipients } of emails) {
    const at = sendAt ?? createdAt;
    const day = Math.floor(at.getTime() / DAY_MS);
    const count = recipients.to.length + recipients.cc.length + recipients.bcc.length;
    days.set(day, [days.get(day)?.[0] ?? at, (days.get(day)?.[1] ?? 0) + count]);
  }
  return new Map(days.values());
}
