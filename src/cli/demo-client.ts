import type { BroadcastDetail } from '../broadcasts/broadcast-view.js';
import type { UploadResult } from '../broadcasts/recipients/recipient-upload.js';
import type { CampaignDetail } from '../campaigns/campaign-reports.js';
import type { CampaignStats } from '../campaigns/campaign-stats.js';
import type { CampaignView } from '../campaigns/campaigns.js';
import type { ContactDetail } from '../contacts/contact-views.js';
import type { SendResponse } from '../emails/accept/send-response.js';
import type { EmailDetail } from '../emails/read/email-detail.js';
import type { EmailSummary } from '../emails/read/email-list.js';
import type { DemoAgent } from './demo-agents.js';
import type { SuppressionView } from '../suppressions/suppression-view.js';
import type { TemplateView } from '../templates/template-view.js';

/** Generous timeout for the numbers, which normally arrive within a second. */
const TIMEOUT_MS = 30_000;
const POLL_INTERVAL_MS = 100;

export type ExpectedStats = Partial<Record<keyof Omit<CampaignStats, 'people' | 'machines'>, number>>;

/** The status of a response with its error sentence. */
interface Refusal {
  readonly status: number;
  readonly error: string;
}

/** An entry of an email's timeline. */
interface DemoTimelineEntry {
  readonly type: string;
  readonly at: string;
  readonly reason?: string;
}

/** Uses the API like any other client. */
export class DemoClient {
  constructor(
    private readonly address: string,
    private readonly apiKey: string,
  ) {}

  send(email: object): Promise<SendResponse> {
    return this.call<SendResponse>('/api/send', { method: 'POST', body: JSON.stringify(email) });
  }

  /** Sends an email that should be refused. The error is empty if it is not. */
  async sendInVain(email: object): Promise<Refusal> {
    const { status, body } = await this.request<object>('/api/send', { method: 'POST', body: JSON.stringify(email) });
    return { status, error: body.error ?? '' };
  }

  createTemplate(template: object): Promise<TemplateView> {
    return this.call<TemplateView>('/api/templates', { method: 'POST', body: JSON.stringify(template) });
  }

  createBroadcast(broadcast: object): Promise<BroadcastDetail> {
    return this.call<BroadcastDetail>('/api/broadcasts', { method: 'POST', body: JSON.stringify(broadcast) });
  }

  addRecipients(broadcastId: string, csv: string): Promise<UploadResult> {
    const headers = { 'content-type': 'text/csv' };
    return this.call<UploadResult>(`/api/broadcasts/${broadcastId}/recipients`, { method: 'POST', headers, body: csv });
  }

  startBroadcast(id: string): Promise<BroadcastDetail> {
    return this.call<BroadcastDetail>(`/api/broadcasts/${id}/send`, { method: 'POST' });
  }

  broadcast(id: string): Promise<BroadcastDetail> {
    return this.call<BroadcastDetail>(`/api/broadcasts/${id}`);
  }

  /** The newest emails of a campaign. */
  async emailsOf(campaign: string, limit: number): Promise<readonly EmailSummary[]> {
    const query = new URLSearchParams({ campaignId: campaign, limit: String(limit) });
    return (await this.call<{ emails: EmailSummary[] }>(`/api/emails?${query.toString()}`)).emails;
  }

  contact(email: string): Promise<ContactDetail> {
    return this.call<ContactDetail>(`/api/contacts/${encodeURIComponent(email)}`);
  }

  email(id: string): Promise<EmailDetail> {
    return this.call<EmailDetail>(`/api/emails/${id}`);
  }

  /** What happened to an email, oldest first. Empty if a service of an earlier build runs, which has no timelines. */
  async timeline(id: string): Promise<readonly DemoTimelineEntry[]> {
    const { status, body } = await this.request<{ timeline: DemoTimelineEntry[] }>(`/api/emails/${id}/timeline`, {});
    return status === 200 ? body.timeline : [];
  }

  suppression(address: string): Promise<SuppressionView> {
    return this.call<SuppressionView>(`/api/suppressions/${encodeURIComponent(address)}`);
  }

  /** Waits until the campaign has at least the expected numbers, then returns it. */
  async campaignWith(name: string, expected: ExpectedStats): Promise<CampaignDetail> {
    const { campaigns } = await this.call<{ campaigns: CampaignView[] }>('/api/campaigns');
    const campaign = campaigns.find((candidate) => candidate.name === name);
    if (!campaign) throw new Error(`The campaign ${name} is not listed`);
    for (const deadline = Date.now() + TIMEOUT_MS; ;) {
      const detail = await this.call<CampaignDetail>(`/api/campaigns/${campaign.id}`);
      const isComplete = Object.entries(expected).every(
        ([name, least]) => detail.stats[name as keyof ExpectedStats] >= least,
      );
      if (isComplete || Date.now() > deadline) return detail;
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    }
  }

  /** Requests a tracking URL like a reader's mail program, but does not follow the redirect to another site. */
  async get(url: string, agent: DemoAgent): Promise<void> {
    const { pathname } = new URL(url);
    const response = await fetch(this.address + pathname, { redirect: 'manual', headers: agent });
    await response.arrayBuffer();
  }

  /** Unsubscribes like a mail program whose reader presses its button (RFC 8058). */
  async unsubscribe(url: string): Promise<void> {
    const { pathname } = new URL(url);
    const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    const response = await fetch(this.address + pathname, { method: 'POST', body });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${url} responded ${response.status}`);
  }

  private async call<Body>(path: string, init: RequestInit = {}): Promise<Body> {
    const { status, body } = await this.request<Body>(path, init);
    if (status >= 300) throw new Error(`${path} responded ${status}: ${body.error ?? ''}`);
    return body;
  }

  private async request<Body>(
    path: string,
    init: RequestInit,
  ): Promise<{ status: number; body: Body & { error?: string } }> {
    const json = init.body && { 'content-type': 'application/json' };
    const headers = { 'x-api-key': this.apiKey, ...json, ...(init.headers as Record<string, string> | undefined) };
    const response = await fetch(this.address + path, { ...init, headers });
    return { status: response.status, body: (await response.json()) as Body & { error?: string } };
  }
}
