import { Inject, Injectable } from '@nestjs/common';
import type { Author } from '../../organizations/audit/record-audit.js';
import { lockOrganization } from '../../organizations/lock-organization.js';
import type { Clock } from '../../platform/clock/clock.js';
import { isUuid, uuidV7 } from '../../platform/clock/uuid-v7.js';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { Database, type Sql } from '../../platform/database/database.js';
import { POSTGRES_CLOCK } from '../../platform/database/postgres-clock.js';
import { InvalidFieldError } from '../../platform/errors/domain-error.js';
import { toPage, type Page, type PageRequest } from '../../platform/http/paging.js';
import { readDomainName } from '../domain-name.js';
import { newOwnershipToken } from '../ownership.js';
import { lockTrackingDomains, switchBaseUrl } from './base-url-switch.js';
import { recordTrackingDomain } from './record-tracking-domain.js';
import { TrackingDnsCheck } from './tracking-dns-check.js';
import {
  TrackingDomainExistsError,
  TrackingDomainLimitError,
  TrackingDomainNotFoundError,
} from './tracking-domain-errors.js';
import {
  toTrackingDomainView,
  TRACKING_DOMAIN_COLUMNS,
  type TrackingDomainRow,
  type TrackingDomainView,
} from './tracking-domain-row.js';

/** One is in use, others are about to replace it. */
const MAX_DOMAINS = 5;

/** The tracking domains of an organization. */
@Injectable()
export class TrackingDomains {
  constructor(
    private readonly database: Database,
    private readonly dnsCheck: TrackingDnsCheck,
    @Inject(SETTINGS) private readonly settings: RunSettings,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * @param admit called after all other checks; rejects when the organization adds too many domains
   * @throws InvalidFieldError, TrackingDomainExistsError, TrackingDomainLimitError, TrackingTargetMissingError
   */
  async create(author: Author, text: string, admit: () => Promise<void>): Promise<TrackingDomainView> {
    const { organizationId } = author;
    const domain = this.readDomain(text);
    await requireRoom(this.database, organizationId, domain);
    await admit();
    const id = uuidV7(this.clock.now());
    const token = newOwnershipToken();
    return this.database.transactionOf(organizationId, async (sql) => {
      await lockOrganization(sql, organizationId);
      await requireRoom(sql, organizationId, domain);
      const described = { organization_id: organizationId, domain, ownership_token: token };
      const records = JSON.stringify(await this.dnsCheck.describe(sql, described));
      const [row] = await sql.query<TrackingDomainRow>(
        `insert into tracking_domains as d (id, organization_id, domain, created_at, ownership_token, records)
         values ($1, $2, $3, $4, $5, $6) returning ${TRACKING_DOMAIN_COLUMNS}`,
        [id, organizationId, domain, new Date(this.clock.now()), token, records],
      );
      await recordTrackingDomain(sql, author, 'tracking-domain.added', id, { domain });
      return toTrackingDomainView(row!);
    });
  }

  async list(organizationId: string, page: PageRequest): Promise<Page<TrackingDomainView>> {
    const rows = await this.database.query<TrackingDomainRow>(
      `select ${TRACKING_DOMAIN_COLUMNS} from tracking_domains d
        where d.organization_id = $1 and ($2::uuid is null or d.id < $2) order by d.id desc limit $3`,
      [organizationId, page.after?.[0] ?? null, page.limit + 1],
    );
    return toPage(rows, page.limit, toTrackingDomainView, (row) => [row.id]);
  }

  /** @throws TrackingDomainNotFoundError */
  async get(organizationId: string, id: string): Promise<TrackingDomainView> {
    return toTrackingDomainView(await this.find(organizationId, id));
  }

  /** @throws TrackingDomainNotFoundError */
  async find(organizationId: string, id: string): Promise<TrackingDomainRow> {
    if (!isUuid(id)) throw new TrackingDomainNotFoundError();
    const [row] = await this.database.query<TrackingDomainRow>(
      `select ${TRACKING_DOMAIN_COLUMNS} from tracking_domains d where d.organization_id = $1 and d.id = $2`,
      [organizationId, id],
    );
    if (!row) throw new TrackingDomainNotFoundError();
    return row;
  }

  /** New emails stop using the domain after some seconds. @throws TrackingDomainNotFoundError */
  async remove(author: Author, id: string): Promise<void> {
    const { organizationId } = author;
    if (!isUuid(id)) throw new TrackingDomainNotFoundError();
    await this.database.transactionOf(organizationId, async (sql) => {
      await lockTrackingDomains(sql, organizationId);
      const [deleted] = await sql.query<{ domain: string }>(
        'delete from tracking_domains where organization_id = $1 and id = $2 returning domain',
        [organizationId, id],
      );
      if (!deleted) throw new TrackingDomainNotFoundError();
      await switchBaseUrl(sql, organizationId, this.settings.TRACKING_DOMAIN_SCHEME, this.clock.now());
      await recordTrackingDomain(sql, author, 'tracking-domain.deleted', id, deleted);
    });
  }

  private readDomain(text: string): string {
    const domain = readDomainName(text, this.settings.PLATFORM_SENDING_DOMAIN);
    const own = [this.dnsCheck.target, new URL(this.settings.BASE_URL).hostname];
    if (own.includes(domain)) throw new InvalidFieldError('domain', 'is the address of this service itself');
    return domain;
  }
}

async function requireRoom(sql: Sql, organizationId: string, domain: string): Promise<void> {
  const [row] = await sql.query<{ count: number; taken: boolean | null }>(
    'select count(*)::int as count, bool_or(domain = $2) as taken from tracking_domains where organization_id = $1',
    [organizationId, domain],
  );
  if (row!.taken) throw new TrackingDomainExistsError();
  if (row!.count >= MAX_DOMAINS) throw new TrackingDomainLimitError(MAX_DOMAINS);
}
