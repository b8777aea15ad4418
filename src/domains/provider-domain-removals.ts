import { Inject, Injectable } from '@nestjs/common';
import { Database, type Sql } from '../platform/database/database.js';
import { LOGGER, type Logger } from '../platform/logging/logger.js';
import { SenderAuthenticationError, type SenderAuthentication } from '../providers/sender-authentication.js';
import { SENDER_AUTHENTICATION } from './domain-dns-check.js';

const BATCH = 50;

/**
 * Deletes a domain. What the provider's account holds for it goes to the organization that has the same domain
 * verified by now, or else on the list of what is to be removed there. $1 organization, $2 domain.
 */
const DELETE_DOMAIN = `
with gone as (
  delete from sending_domains where organization_id = $1 and id = $2 returning id, domain, provider_domain_id as made
), heir as (
  update sending_domains s set provider_domain_id = coalesce(s.provider_domain_id, gone.made) from gone
   where s.domain = gone.domain and s.status = 'verified' and s.id <> gone.id and gone.made is not null
  returning s.id
), listed as (
  insert into provider_domain_removals (provider_domain_id, domain)
  select made, domain from gone where made is not null and not exists (select from heir)
  on conflict do nothing
)
select id from gone`;

/** False when the organization has no such domain. */
export async function deleteDomain(sql: Sql, organizationId: string, id: string): Promise<boolean> {
  return (await sql.query(DELETE_DOMAIN, [organizationId, id])).length > 0;
}

/** Removes from the provider's account what was made there for domains that are gone. */
@Injectable()
export class ProviderDomainRemovals {
  constructor(
    private readonly database: Database,
    @Inject(SENDER_AUTHENTICATION) private readonly provider: SenderAuthentication | undefined,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** What the provider does not take now stays on the list. Any number of workers may run this. */
  async run(): Promise<void> {
    const { provider } = this;
    if (!provider) return;
    await this.leaveWhatIsUsedAgain();
    const removals = await this.database.query<{ id: string }>(
      `select provider_domain_id as id from provider_domain_removals order by created_at limit ${BATCH}`,
    );
    for (const { id } of removals) if (!(await this.remove(provider, id))) return;
  }

  /** Somebody verified the domain again meanwhile: it is theirs, to be removed with it. */
  private async leaveWhatIsUsedAgain(): Promise<void> {
    await this.database.query(
      `with used as (
         update sending_domains s set provider_domain_id = coalesce(s.provider_domain_id, r.provider_domain_id)
           from provider_domain_removals r where s.domain = r.domain and s.status = 'verified'
         returning r.provider_domain_id as id
       )
       delete from provider_domain_removals where provider_domain_id in (select id from used)`,
    );
  }

  private async remove(provider: SenderAuthentication, id: string): Promise<boolean> {
    try {
      await provider.remove(id);
    } catch (error) {
      if (!(error instanceof SenderAuthenticationError)) throw error;
      this.logger.warn({ reason: error.message }, 'The provider could not remove a domain that is gone; tried again');
      return false;
    }
    await this.database.query('delete from provider_domain_removals where provider_domain_id = $1', [id]);
    return true;
  }
}
