import type { CampaignDetail } from '../../src/campaigns/campaign-reports.js';
import type { Json } from '../support/openapi/api-document.js';
import { nextPage } from '../support/next-page.js';
import type { ApiResponse, TestClient } from '../support/service.js';

export const email = { from: 'ada@acme.example', to: 'reader@example.com', subject: 'S', htmlContent: '<p>x</p>' };

/** An organization with its own campaign, and a client of another one that tries to use its resources. */
export class TwoTenants {
  constructor(
    private readonly owner: TestClient,
    private readonly otherClient: TestClient,
    private readonly campaignId: string,
  ) {}

  ownersCampaign(): Promise<ApiResponse<CampaignDetail>> {
    return this.owner.get<CampaignDetail>(`/api/campaigns/${this.campaignId}`);
  }

  /** Expects the same response as for unknown values. */
  async expectUnknown(path: (value: string) => string, existing: string[], missing: string): Promise<void> {
    const { body: unknown } = await this.otherClient.get(path(missing));
    for (const value of existing) {
      expect((await this.otherClient.get(path(value))).body).toEqual(unknown);
      // The resource does exist.
      expect((await this.owner.get(path(value))).body).not.toEqual(unknown);
    }
  }

  /**
   * A cursor is a position in an order. In the list of another organization it is also just a position and shows none
   * of its items.
   */
  async expectOnlyAPosition(path: string): Promise<void> {
    const { headers } = await this.owner.get(`${path}?limit=1`);
    const next = nextPage(headers);
    expect(next).toBeDefined();
    const existing = await this.owner.get(next!);
    const { status, body } = await this.otherClient.get(next!);
    expect(status).toBe(200);
    expect(JSON.stringify(existing.body)).toMatch(/[\w-]{12,}/);
    for (const [id] of JSON.stringify(existing.body).matchAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[\w.]+@[\w.]+/g))
      expect(JSON.stringify(body)).not.toContain(id);
  }

  async expectNoReplay(path: string): Promise<void> {
    const key = { 'idempotency-key': `the same at ${path}`, prefer: 'respond-async' };
    const existing = await this.owner.post(path, email, key);
    const { status, body, headers } = await this.otherClient.post(path, email, key);
    expect([200, 202]).toContain(status);
    expect(headers.get('idempotent-replayed')).toBeNull();
    expect(body.emailTrackingId).not.toBe(existing.body.emailTrackingId);
    expect((await this.owner.post(path, email, key)).headers.get('idempotent-replayed')).toBe('true');
  }

  /** A campaign ID of another organization is a name like any other. */
  async expectOwnCampaign(path: string): Promise<void> {
    const before = await this.ownersCampaign();
    for (const name of [this.campaignId, 'Secret']) {
      const { status, body } = await this.otherClient.post(
        path,
        { ...email, campaignId: name },
        { prefer: 'respond-async' },
      );
      expect([200, 202]).toContain(status);
      const id = String(body.emailTrackingId);
      expect((await this.otherClient.get(`/api/emails/${id}`)).body).toMatchObject({ campaign: name });
      expect((await this.owner.get(`/api/emails/${id}`)).status).toBe(404);
    }
    expect((await this.ownersCampaign()).body).toEqual(before.body);
  }

  /** Creates a draft and changes it. */
  /** The version of the owner's latest draft. */
  async ownersVersion(): Promise<string> {
    const { body } = await this.owner.get<{ broadcasts: { version: string }[] }>('/api/broadcasts');
    return body.broadcasts[0]!.version;
  }

  async sendOwnDraft(client: TestClient, version: string): Promise<ApiResponse<Json>> {
    return client.post(`/api/broadcasts/${await this.newDraft(client)}/send`, { version });
  }

  async changeOwnDraft(client: TestClient, fields: object): Promise<ApiResponse<Json>> {
    return client.put(`/api/broadcasts/${await this.newDraft(client)}`, { name: 'B', ...fields });
  }

  private async newDraft(client: TestClient): Promise<string> {
    const draft = { name: 'B', from: email.from, subject: 'S', htmlContent: '<p>a</p>' };
    return String((await client.post('/api/broadcasts', draft)).body.id);
  }

  /** The number of a version of another organization's template is unknown for a template without that version. */
  async expectOwnTemplateVersion(): Promise<void> {
    const template = { name: 'T', subject: 'S', htmlContent: 'x' };
    const create = async (client: TestClient) =>
      `/api/templates/${String((await client.post('/api/templates', template)).body.id)}`;
    const [owners, own] = [await create(this.owner), await create(this.otherClient)];
    expect((await this.owner.put(owners, template)).body.version).toBe(2);
    const change = (version: number) => this.otherClient.put(own, { ...template, subject: 'Other', version });
    const { body: unknown } = await change(99);
    expect(await change(2)).toMatchObject({ status: 409, body: unknown });
    expect((await change(1)).status).toBe(200);
  }

  async expectOwnBatch(fields: object): Promise<void> {
    const key = { 'idempotency-key': 'the same batch' };
    const post = (client: TestClient): Promise<ApiResponse<{ emails: { id?: string; error?: string }[] }>> =>
      client.post('/api/send/batch', { emails: [{ ...email, ...fields }] }, key);
    const before = await this.ownersCampaign();
    const { status, body, headers } = await post(this.otherClient);
    expect([status, headers.get('idempotent-replayed')]).toEqual([202, null]);
    const [sent] = body.emails;
    expect((await this.owner.get(`/api/emails/${sent!.id}`)).status).toBe(404);
    expect((await this.ownersCampaign()).body).toEqual(before.body);
    expect((await post(this.owner)).headers.get('idempotent-replayed')).toBeNull();
  }
}
