import type { TestClient, TestService } from './service.js';

/** The number of emails that the campaigns of an organization count. */
export async function campaignEmails({ database }: TestService, { organizationId }: TestClient): Promise<number> {
  const [row] = await database.query<{ emails: number }>(
    `select coalesce(sum(t.emails), 0)::integer as emails from campaign_totals t join campaigns c on c.id = t.campaign_id
      where c.organization_id = $1`,
    [organizationId],
  );
  return row!.emails;
}
