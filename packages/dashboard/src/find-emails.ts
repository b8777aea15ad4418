import { client, hasStatus } from './api';
import { statesOf } from './components/email-status';
import type { ListPage } from './list-page';
import type { EmailSummary } from './types';

/** An ID, or a tracking ID. */
const ID = /^([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[\w-]{24})$/i;

interface PageOfEmails {
  readonly limit: number;
  readonly cursor?: string;
}

/** A page of the emails that match the filters. A search for an ID finds its email regardless of other filters. */
export async function findEmails(
  filters: Readonly<Record<string, string>>,
  page: PageOfEmails,
  options: { readonly signal?: AbortSignal },
): Promise<ListPage<EmailSummary>> {
  const { search = '' } = filters;
  const named = ID.test(search) ? await readEmail(search, options) : undefined;
  return named ? { items: [named] } : client.emails.list({ ...filters, ...page }, options).first();
}

async function readEmail(id: string, options: { readonly signal?: AbortSignal }): Promise<EmailSummary | undefined> {
  try {
    const email = await client.emails.get(id, options);
    return { ...email, recipient: email.to[0] ?? '', recipientStates: statesOf(email.recipients) };
  } catch (error) {
    if (hasStatus(error, 404)) return undefined;
    throw error;
  }
}
