import { Inject, Injectable } from '@nestjs/common';
import { Database, type Sql } from '../platform/database/database.js';
import { LOGGER, type Logger } from '../platform/logging/logger.js';
import { SenderAuthenticationError, type SenderAuthentication } from '../providers/sender-authentication.js';
import { SENDER_AUTHENTICATION } from './domain-dns-check.js';

/**
 * Deletes a domain. Its counterpart in the provider's account is assigned to the organization that has verified the
 * same domain since then. If there is none, it is listed for removal. $1 organization, $2 domain.
 */
const DELETE_DOMAIN = `
with deleted as (
  delete from sending_domains where organization_id = $1 and id = $2 returning id, domain, provider_domain_id as made
), heir as (
  update sending_domains s set provider_domain_id = coalesce(s.provider_domain_id, deleted.made) from deleted
   where s.domain = deleted.domain and s.status = 'verified' and s.id <> deleted.id and deleted.made is not null
  returning s.provider_domain_id as id
), listed as (
  insert into provider_domain_removals (provider_domain_id, domain)
  select made, domain from deleted where made is not null and not exists (select from heir where heir.id = made)
  on conflict do nothing
)
select domain from deleted`;

/**
 * Waits while an organization has the domain, even an unverified one: it may be about to verify it, and would then rely
 * on what is removed. $1 the ID before: refused removals stay on the list, and do not keep the rest from their turn.
 */
const NEXT_UNUSED = `
select provider_domain_id as id from provider_domain_removals r
 where provider_domain_id > $1 and not exists (select from sending_domains s where s.domain = r.domain)
 order by provider_domain_id limit 1`;

/** @returns the name of the domain; undefined when the organization has no such domain */
export async function deleteDomain(sql: Sql, organizationId: string, id: string): Promise<string | undefined> {
  const [deleted] = await sql.query<{ domain: string }>(DELETE_DOMAIN, [organizationId, id]);
  return deleted?.domain;
}

/** Removes the counterparts of deleted domains from the provider's account. */
@Injectable()
export class ProviderDomainRemovals {
  constructor(
    private readonly database: Database,
    @Inject(SENDER_AUTHENTICATION) private readonly provider: SenderAuthentication | undefined,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Failed removals stay on the list. Any number of workers may run this. */
  async run(stop: AbortSignal): Promise<void> {
    const { provider } = this;
    if (!provider) return;
    await this.keepDomainsInUse();
    for (let id = await this.nextUnused(''); id !== undefined && !stop.aborted; id = await this.nextUnused(id))
      if (!(await this.remove(provider, id))) return;
  }

  /** Reads one at a time, because organizations may add domains while the provider removes another. */
  private async nextUnused(after: string): Promise<string | undefined> {
    const [removal] = await this.database.query<{ id: string }>(NEXT_UNUSED, [after]);
    return removal?.id;
  }

  /** Assigns a provider domain to the organization that has verified the domain again, and drops it from the list. */
  private async keepDomainsInUse(): Promise<void> {
    await this.database.query(
      `with used as (
         update sending_domains s set provider_domain_id = coalesce(s.provider_domain_id, r.provider_domain_id)
           from provider_domain_removals r
          where s.domain = r.domain and s.status = 'verified'
            and (s.provider_domain_id is null or s.provider_domain_id = r.provider_domain_id)
         returning r.provider_domain_id as id
       )
       delete from provider_domain_removals where provider_domain_id in (select id from used)`,
    );
  }

  /** @returns false if no other removal would succeed now, either */
  private async remove(provider: SenderAuthentication, id: string): Promise<boolean> {
    try {
      await provider.remove(id);
    } catch (error) {
      if (!(error instanceof SenderAuthenticationError)) throw error;
      this.logger.warn({ reason: error.message }, 'The provider could not remove a deleted domain; retried later');
      return error.isRefusal;
    }
    await this.database.query('delete from provider_domain_removals where provider_domain_id = $1', [id]);
    return true;
  }
}
