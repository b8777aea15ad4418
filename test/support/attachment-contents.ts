import type { TestClient, TestService } from './service.js';

/** How many different attachments the organization has stored. */
export async function countContents({ database }: TestService, { organizationId }: TestClient): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    'select count(*)::integer as n from attachment_contents where organization_id = $1',
    [organizationId],
  );
  return row!.n;
}
