import { isUuid } from '../platform/clock/uuid-v7.js';
import type { Sql } from '../platform/database/database.js';
import { TemplateNotFoundError } from './template-errors.js';
import { CONTENT_COLUMNS, type TemplateContentRow } from './template-view.js';

/** Reads a template with the content of its newest version. @throws TemplateNotFoundError */
export async function readTemplate(sql: Sql, organizationId: string, id: string): Promise<TemplateContentRow> {
  const [row] = isUuid(id)
    ? await sql.query<TemplateContentRow>(
        `select ${CONTENT_COLUMNS}
           from templates t join template_versions v on v.template_id = t.id and v.version = t.version
          where t.organization_id = $1 and t.id = $2`,
        [organizationId, id],
      )
    : [];
  if (!row) throw new TemplateNotFoundError();
  return row;
}
