import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../platform/clock/clock.js';
import { isUuid, uuidV7 } from '../platform/clock/uuid-v7.js';
import { BUDGETS } from '../organizations/budgets/budget.js';
import { ItemBudgets } from '../organizations/budgets/item-budgets.js';
import { SETTINGS, type Settings } from '../platform/config/settings.js';
import { Database, type Sql } from '../platform/database/database.js';
import type { Author } from '../organizations/audit/record-audit.js';
import { lockOrganization } from '../organizations/lock-organization.js';
import { toPage, type Page, type PageRequest } from '../platform/http/paging.js';
import { DkimKeyGenerator } from './dkim-key-generator.js';
import { SendingDomainExistsError, SendingDomainLimitError, SendingDomainNotFoundError } from './domain-errors.js';
import { DomainDnsCheck } from './domain-dns-check.js';
import { readDomainName } from './domain-name.js';
import { newOwnershipToken } from './ownership.js';
import { recordDomain } from './record-domain.js';
import { DOMAIN_COLUMNS, findDomain, type DomainRow } from './domain-row.js';
import type { DomainView } from './domain-view.js';
import { deleteDomain } from './provider-domain-removals.js';

const MAX_DOMAINS = BUDGETS.domains.most;

/** The sending domains of an organization. */
@Injectable()
export class Domains {
  constructor(
    private readonly database: Database,
    private readonly keys: DkimKeyGenerator,
    private readonly dnsCheck: DomainDnsCheck,
    private readonly budgets: ItemBudgets,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @param admit called after all other checks; rejects when the organization adds too many domains
   * @throws InvalidFieldError, SendingDomainExistsError, SendingDomainLimitError, BudgetExceededError
   */
  async create(author: Author, text: string, admit: () => Promise<void>): Promise<DomainView> {
    const { organizationId } = author;
    const domain = readDomainName(text, this.settings.PLATFORM_SENDING_DOMAIN);
    const domains = await requireRoom(this.database, organizationId, domain);
    await this.budgets.requireRoom(this.database, organizationId, 'domains', domains);
    await admit();
    const id = uuidV7(this.clock.now());
    const row = await this.insert(author, id, domain);
    if (!this.dnsCheck.signsHere) return this.dnsCheck.view(row);
    // Generates the expensive key only after the insert, so that a refused request costs none.
    await this.keys.generate(id);
    return this.describeAgain(organizationId, id);
  }

  private insert(author: Author, id: string, domain: string): Promise<DomainRow> {
    const { organizationId } = author;
    const token = newOwnershipToken();
    const described = { id, domain, ownership_token: token, dkim_selector: null, dkim_public_key: null, records: [] };
    return this.database.transactionOf(organizationId, async (sql) => {
      await lockOrganization(sql, organizationId);
      const domains = await requireRoom(sql, organizationId, domain);
      await this.budgets.add(sql, organizationId, 'domains', domains);
      const [row] = await sql.query<DomainRow>(
        `insert into sending_domains (id, organization_id, domain, created_at, ownership_token, records)
         values ($1, $2, $3, $4, $5, $6) returning ${DOMAIN_COLUMNS}`,
        [
          id,
          organizationId,
          domain,
          new Date(this.clock.now()),
          token,
          JSON.stringify(this.dnsCheck.describe(described)),
        ],
      );
      await recordDomain(sql, author, 'domain.added', id, { domain });
      return row!;
    });
  }

  /** Adds the record of the new key, unless the domain was checked since. */
  private async describeAgain(organizationId: string, id: string): Promise<DomainView> {
    const row = await findDomain(this.database, organizationId, id);
    const [described] = await this.database.query<DomainRow>(
      `update sending_domains set records = $2 where id = $1 and checked_at is null returning ${DOMAIN_COLUMNS}`,
      [id, JSON.stringify(this.dnsCheck.describe(row))],
    );
    return described ? this.dnsCheck.view(described) : this.get(organizationId, id);
  }

  async list(organizationId: string, page: PageRequest): Promise<Page<DomainView>> {
    const rows = await this.database.query<DomainRow>(
      `select ${DOMAIN_COLUMNS} from sending_domains
        where organization_id = $1 and ($2::uuid is null or id < $2) order by id desc limit $3`,
      [organizationId, page.after?.[0] ?? null, page.limit + 1],
    );
    return toPage(
      rows,
      page.limit,
      (row) => this.dnsCheck.view(row),
      (row) => [row.id],
    );
  }

  /** @throws SendingDomainNotFoundError */
  async get(organizationId: string, id: string): Promise<DomainView> {
    return this.dnsCheck.view(await findDomain(this.database, organizationId, id));
  }

  /** Senders on the domain are rewritten again within seconds. @throws SendingDomainNotFoundError */
  async remove(author: Author, id: string): Promise<void> {
    if (!isUuid(id)) throw new SendingDomainNotFoundError();
    await this.database.transactionOf(author.organizationId, async (sql) => {
      const domain = await deleteDomain(sql, author.organizationId, id);
      if (domain === undefined) throw new SendingDomainNotFoundError();
      await recordDomain(sql, author, 'domain.deleted', id, { domain });
    });
  }
}

/** @returns how many domains there are */
async function requireRoom(sql: Sql, organizationId: string, domain: string): Promise<number> {
  const [row] = await sql.query<{ count: number; taken: boolean | null }>(
    'select count(*)::int as count, bool_or(domain = $2) as taken from sending_domains where organization_id = $1',
    [organizationId, domain],
  );
  if (row!.taken) throw new SendingDomainExistsError();
  if (row!.count >= MAX_DOMAINS) throw new SendingDomainLimitError(MAX_DOMAINS);
  return row!.count;
}
