import { uuidV7 } from '../../dist/platform/clock/uuid-v7.js';

/** Stores an organization with a campaign. */
export async function storeCampaign(database) {
  const [organizationId, campaignId] = [uuidV7(Date.now()), uuidV7(Date.now())];
  await database.query(`insert into organizations (id, name, plan) values ($1, 'Bench', 'unlimited')`, [
    organizationId,
  ]);
  await database.query(`insert into campaigns (id, organization_id, name) values ($1, $2, 'Bench')`, [
    campaignId,
    organizationId,
  ]);
  return { organizationId, campaignId };
}
