import { AuditLog, type Author } from '../organizations/audit/record-audit.js';
import type { Database, Sql } from '../platform/database/database.js';
import { upToBytes } from '../platform/database/up-to-bytes.sql.js';
import { TemplateNotFoundError } from './template-errors.js';

/** Versions whose length a step reads. */
const READ = 5_000;

/** The oldest versions: until the last step, the template keeps its newest one. $1 template. */
const DELETE_VERSIONS = `
delete from template_versions where template_id = $1 and version in (${upToBytes(
  'version',
  `select version, octet_length(html_content) + coalesce(octet_length(compiled_html), 0)
          + coalesce(octet_length(text_content), 0) as bytes
     from template_versions where template_id = $1 order by version limit ${READ}`,
)})`;

/**
 * Deletes a template with its versions, in several transactions if they are long: a template can have any number of
 * them. One whose deletion broke off keeps its newest versions until it is deleted again.
 * @param id a UUID
 * @throws TemplateNotFoundError
 */
export async function deleteTemplate(database: Database, author: Author, id: string): Promise<void> {
  let isDeleted = false;
  while (!isDeleted) {
    isDeleted = await database.transactionOf(author.organizationId, (sql) => deleteBatch(sql, author, id));
  }
}

/** @returns false when versions are left */
async function deleteBatch(sql: Sql, author: Author, id: string): Promise<boolean> {
  // A change, which would add a version, waits.
  const found = await sql.query('select from templates where organization_id = $1 and id = $2 for update', [
    author.organizationId,
    id,
  ]);
  if (found.length === 0) throw new TemplateNotFoundError();
  await sql.query(DELETE_VERSIONS, [id]);
  const left = await sql.query('select from template_versions where template_id = $1 limit 1', [id]);
  if (left.length > 0) return false;
  await sql.query('delete from templates where id = $1', [id]);
  await AuditLog.record(sql, { ...author, action: 'template.deleted', target: { kind: 'template', id } });
  return true;
}
