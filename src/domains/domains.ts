import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../clock/clock.js';
import { isUuid, uuidV7 } from '../clock/uuid-v7.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database, type SqlRunner } from '../database/database.js';
import { SecretBox } from '../encryption/secret-box.js';
import { toPage, type Page, type PageRequest } from '../http/paging.js';
import { mintDkimKey } from './dkim-keys.js';
import { SendingDomainExistsError, SendingDomainLimitError, SendingDomainNotFoundError } from './domain-errors.js';
import { DomainLook } from './domain-look.js';
import { readDomainName } from './domain-name.js';
import { DOMAIN_COLUMNS, toDomainView, type DomainRow, type DomainView } from './domain-row.js';

/** Each one costs a key to make and a look every day. */
const MAX_DOMAINS = 100;
const TOKEN_BYTES = 20;

/** The sending domains of an organization. */
@Injectable()
export class Domains {
  constructor(
    private readonly database: Database,
    private readonly box: SecretBox,
    private readonly look: DomainLook,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws InvalidFieldError, SendingDomainExistsError, SendingDomainLimitError */
  async create(organizationId: string, text: string): Promise<DomainView> {
    const domain = readDomainName(text, this.settings.PLATFORM_SENDING_DOMAIN);
    await requireRoom(this.database, organizationId, domain);
    const now = this.clock.now();
    const id = uuidV7(now);
    const key = await mintDkimKey(this.box, id);
    const token = randomBytes(TOKEN_BYTES).toString('hex');
    const described = {
      id,
      domain,
      ownership_token: token,
      dkim_selector: key.selector,
      dkim_public_key: key.publicKey,
    };
    const records = await this.look.describe({ ...described, records: [] });
    return this.database.transaction(async (sql) => {
      // Makes requests that race count each other.
      await sql.query('select from organizations where id = $1 for no key update', [organizationId]);
      await requireRoom(sql, organizationId, domain);
      const [row] = await sql.query<DomainRow>(
        `insert into sending_domains (id, organization_id, domain, created_at, ownership_token, dkim_selector,
                                      dkim_public_key, sealed_dkim_key, records)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${DOMAIN_COLUMNS}`,
        [
          id,
          organizationId,
          domain,
          new Date(now),
          token,
          key.selector,
          key.publicKey,
          key.sealed,
          JSON.stringify(records),
        ],
      );
      return toDomainView(row!);
    });
  }

  async list(organizationId: string, page: PageRequest): Promise<Page<DomainView>> {
    const rows = await this.database.query<DomainRow>(
      `select ${DOMAIN_COLUMNS} from sending_domains
        where organization_id = $1 and ($2::uuid is null or id < $2) order by id desc limit $3`,
      [organizationId, page.after?.[0] ?? null, page.limit + 1],
    );
    return toPage(rows, page.limit, toDomainView, (row) => [row.id]);
  }

  /** @throws SendingDomainNotFoundError */
  async get(organizationId: string, id: string): Promise<DomainView> {
    if (!isUuid(id)) throw new SendingDomainNotFoundError();
    const [row] = await this.database.query<DomainRow>(
      `select ${DOMAIN_COLUMNS} from sending_domains where organization_id = $1 and id = $2`,
      [organizationId, id],
    );
    if (!row) throw new SendingDomainNotFoundError();
    return toDomainView(row);
  }

  /** Senders on it are rewritten again within seconds. @throws SendingDomainNotFoundError */
  async remove(organizationId: string, id: string): Promise<void> {
    if (!isUuid(id)) throw new SendingDomainNotFoundError();
    const removed = await this.database.query(
      'delete from sending_domains where organization_id = $1 and id = $2 returning id',
      [organizationId, id],
    );
    if (removed.length === 0) throw new SendingDomainNotFoundError();
  }
}

async function requireRoom(sql: SqlRunner, organizationId: string, domain: string): Promise<void> {
  const [row] = await sql.query<{ count: number; taken: boolean | null }>(
    'select count(*)::int as count, bool_or(domain = $2) as taken from sending_domains where organization_id = $1',
    [organizationId, domain],
  );
  if (row!.taken) throw new SendingDomainExistsError();
  if (row!.count >= MAX_DOMAINS) throw new SendingDomainLimitError(MAX_DOMAINS);
}
