import { withoutBytes } from '../emails/attachments/attachment.js';
import type { Sql } from '../platform/database/database.js';
import type { StatementValues } from '../platform/database/statement.js';
import type { DraftMessage } from './broadcast-messages.js';
import { HAS_CONTENT, type INSERT_MESSAGE, type REPLACE_DRAFT } from './draft-statements.js';

/** The content of a draft as a request describes it. */
export interface DraftContent {
  readonly message: DraftMessage;
  /** The name or ID of its campaign, which may not exist yet. */
  readonly campaign: string | undefined;
  readonly columns: Omit<StatementValues<typeof REPLACE_DRAFT>, 'id' | 'messageId' | 'campaignId'>;
}

type MessageColumns = Omit<
  StatementValues<typeof INSERT_MESSAGE>,
  'id' | 'organizationId' | 'createdAt' | 'replacedId'
>;

export function messageColumns({ source, mjml, headers, attachments }: DraftMessage): MessageColumns {
  const { subject, html, text } = source;
  return {
    ...{ subject, html, text, mjml },
    headers: headers && JSON.stringify(headers),
    attachments: attachments ? JSON.stringify(attachments.map(withoutBytes)) : null,
  };
}

/** True if the draft has exactly this content already. */
export async function hasContent(
  sql: Sql,
  draft: { readonly id: string; readonly campaignId: string | null },
  { message, columns }: DraftContent,
): Promise<boolean> {
  return (await HAS_CONTENT.run(sql, { ...draft, ...columns, ...messageColumns(message) })).length > 0;
}
