import { lockOrganization } from '../organizations/lock-organization.js';
import type { Sql } from '../platform/database/database.js';
import { TemplateLimitError } from './template-errors.js';

const MAX_TEMPLATES = 1_000;

/** Locks the organization, so that no two requests use the last room. @throws TemplateLimitError */
export async function requireTemplateRoom(sql: Sql, organizationId: string): Promise<void> {
  await lockOrganization(sql, organizationId);
  const [row] = await sql.query<{ count: number }>(
    'select count(*)::int as count from templates where organization_id = $1',
    [organizationId],
  );
  if (row!.count >= MAX_TEMPLATES) throw new TemplateLimitError(MAX_TEMPLATES);
}
