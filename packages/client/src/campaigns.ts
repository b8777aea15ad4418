import type {
  Archived,
  Campaign,
  CampaignDetail,
  CampaignEmail,
  CampaignLink,
  CampaignList,
  ClickMap,
  CreateCampaign,
} from './api-types.js';
import { listOf } from './list-of.js';
import type { Pages } from './pages.js';
import { path } from './path.js';
import type { Query } from './query.js';
import type { CallOptions } from './call.js';
import type { Transport } from './transport.js';

/** `client.campaigns` */
export class Campaigns {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Active campaigns, newest first; with `archived: 'true'` the archived ones. */
  list(query?: Query<'listCampaigns'>, options?: CallOptions): Pages<Campaign> {
    const call = { path: '/api/campaigns', query, options };
    return listOf(this.#transport, call, (body: CampaignList) => body.campaigns);
  }

  create(campaign: CreateCampaign, options?: CallOptions): Promise<Campaign> {
    return this.#transport.json({ method: 'POST', path: '/api/campaigns', body: campaign, options });
  }

  /** A campaign with its totals and the first page of its links and emails. */
  get(id: string, query?: Query<'getCampaign'>, options?: CallOptions): Promise<CampaignDetail> {
    return this.#transport.json({ method: 'GET', path: path`/api/campaigns/${id}`, query, options });
  }

  /** Every email of a campaign, newest first. */
  emails(id: string, query?: Query<'getCampaign'>, options?: CallOptions): Pages<CampaignEmail> {
    const call = { path: path`/api/campaigns/${id}`, query, options };
    return listOf(this.#transport, call, (body: CampaignDetail) => body.emails);
  }

  /** Every link of a campaign, by clicks. */
  links(id: string, options?: CallOptions): Pages<CampaignLink> {
    // Each response also has a page of emails, so the smallest page size is requested.
    const call = { path: path`/api/campaigns/${id}`, query: { limit: 1 }, options };
    return listOf(this.#transport, call, (body: CampaignDetail) => body.links, 'linksCursor', 'next-links');
  }

  /** The clicks on the links of its newest email, and that email's HTML. Show it in a sandbox. */
  clickMap(id: string, options?: CallOptions): Promise<ClickMap> {
    return this.#transport.json({ method: 'GET', path: path`/api/campaigns/${id}/click-map`, options });
  }

  /** An archived campaign accepts no more emails. */
  archive(id: string, options?: CallOptions): Promise<Archived> {
    return this.#transport.json({
      method: 'POST',
      path: path`/api/campaigns/${id}/archive`,
      isRepeatable: true,
      earlierResult: async (status) => {
        const isDone = status === 400 && (await this.get(id, { limit: 1 }, options)).archivedAt !== null;
        return isDone ? { success: true } : undefined;
      },
      options,
    });
  }
}
