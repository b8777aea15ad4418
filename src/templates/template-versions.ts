import { Injectable } from '@nestjs/common';
import { isUuid } from '../platform/clock/uuid-v7.js';
import { Database } from '../platform/database/database.js';
import { pageUpToBytes, toPageUpToBytes, type RowUpToBytes } from '../platform/http/page-up-to-bytes.sql.js';
import type { Page, PageRequest } from '../platform/http/paging.js';
import { TemplateNotFoundError, TemplateVersionNotFoundError } from './template-errors.js';

/** A version of a template, without its content. */
export interface TemplateVersionView {
  readonly version: number;
  readonly subject: string;
  readonly variables: readonly string[];
  readonly createdAt: string;
}

export interface TemplateVersionDetail extends TemplateVersionView {
  /** The original HTML or MJML. */
  readonly htmlContent: string;
  readonly textContent: string | null;
}

interface VersionRow {
  version: number;
  subject: string;
  variables: string[];
  created_at: Date;
}

interface VersionContentRow extends VersionRow {
  html_content: string;
  text_content: string | null;
}

/** $1 template, $2 last version of the page before, $3 rows. The names of their variables can be long. */
const LIST = pageUpToBytes(
  `select version, subject, variables, created_at, octet_length(array_to_string(variables, '')) as bytes
     from template_versions
    where template_id = $1 and ($2::integer is null or version < $2) order by version desc limit $3`,
  'version desc',
);

/** The largest integer of the column. */
const MAX_VERSION = 2_147_483_647;

/** True for the number of a version, which is also the cursor of their list. */
export function isTemplateVersion(text: string): boolean {
  return /^[1-9]\d{0,9}$/.test(text) && Number(text) <= MAX_VERSION;
}

/** Reads earlier versions of a template. */
@Injectable()
export class TemplateVersions {
  constructor(private readonly database: Database) {}

  /** Newest first. @throws TemplateNotFoundError */
  async list(organizationId: string, id: string, page: PageRequest): Promise<Page<TemplateVersionView>> {
    const values = [id, page.after?.[0] ?? null, page.limit + 1];
    const rows = await this.database.inReadTurn(organizationId, async () => {
      await this.require(organizationId, id);
      return this.database.query<VersionRow & RowUpToBytes & Record<string, unknown>>(LIST, values);
    });
    return toPageUpToBytes(rows, page.limit, toVersionView, (row) => [String(row.version)]);
  }

  /** @throws TemplateNotFoundError, TemplateVersionNotFoundError */
  async get(organizationId: string, id: string, version: string): Promise<TemplateVersionDetail> {
    const row = await this.database.inReadTurn(organizationId, async () => {
      await this.require(organizationId, id);
      return isTemplateVersion(version) ? this.read(id, Number(version)) : undefined;
    });
    if (!row) throw new TemplateVersionNotFoundError();
    return { ...toVersionView(row), htmlContent: row.html_content, textContent: row.text_content };
  }

  private async read(id: string, version: number): Promise<VersionContentRow | undefined> {
    const [row] = await this.database.query<VersionContentRow>(
      `select version, subject, variables, created_at, html_content, text_content
         from template_versions where template_id = $1 and version = $2`,
      [id, version],
    );
    return row;
  }

  private async require(organizationId: string, id: string): Promise<void> {
    const [template] = isUuid(id)
      ? await this.database.query('select from templates where organization_id = $1 and id = $2', [organizationId, id])
      : [];
    if (!template) throw new TemplateNotFoundError();
  }
}

function toVersionView({ version, subject, variables, created_at: createdAt }: VersionRow): TemplateVersionView {
  return { version, subject, variables, createdAt: createdAt.toISOString() };
}
