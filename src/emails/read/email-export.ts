import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { csvLine, guardFormula } from '../../platform/csv/csv-text.js';
import { OrganizationTransfers } from '../../platform/http/organization-transfers.js';
import type { EmailFilter } from './email-filter.js';
import { EmailList, type EmailSummary } from './email-list.js';

const PAGE = 1_000;

const COLUMNS: Readonly<Record<string, (email: EmailSummary) => string | number | null>> = {
  id: ({ id }) => id,
  trackingId: ({ trackingId }) => trackingId,
  status: ({ status }) => status,
  recipient: ({ recipient }) => recipient,
  subject: ({ subject }) => subject,
  campaign: ({ campaign }) => campaign,
  tags: ({ tags }) => tags.join(' '),
  lastError: ({ lastError }) => lastError,
  createdAt: ({ createdAt }) => createdAt,
  sentAt: ({ sentAt }) => sentAt,
  opens: ({ opens }) => opens,
  clicks: ({ clicks }) => clicks,
  peopleOpens: ({ people }) => people.opens,
  peopleClicks: ({ people }) => people.clicks,
};

/** Exports of emails as CSV files. */
@Injectable()
export class EmailExport {
  private readonly transfers = new OrganizationTransfers();

  constructor(private readonly emails: EmailList) {}

  /** The emails that a filter finds, newest first, as a CSV file with a header row. @throws TransferInProgressError */
  export(organizationId: string, filter: EmailFilter): Promise<Readable> {
    return this.transfers.export(organizationId, this.pieces(organizationId, filter));
  }

  /**
   * Reads the pages of the list, so it holds no transaction and needs little memory. It has each email that was
   * accepted before it began, once. A page without matches is an empty piece: it lets a disconnected reader end the
   * export.
   */
  private async *pieces(organizationId: string, filter: EmailFilter): AsyncGenerator<string> {
    let header = csvLine(Object.keys(COLUMNS));
    for (let after: readonly string[] | undefined, isLast = false; !isLast; header = '') {
      const { items, next } = await this.emails.list(organizationId, filter, { limit: PAGE, ...(after && { after }) });
      yield header + items.map(lineOf).join('');
      after = next;
      isLast = next === undefined;
    }
  }
}

/**
 * A tracking ID may begin with a hyphen. We created it, so it is not a formula, and it stays as other routes return it.
 */
function lineOf(email: EmailSummary): string {
  const cells = Object.entries(COLUMNS).map(([name, valueOf]) => {
    const text = String(valueOf(email) ?? '');
    return name === 'trackingId' ? text : guardFormula(text);
  });
  return csvLine(cells);
}
