import type { EmailDetail } from '../../../src/emails/read/email-detail.js';
import type { SendResponse } from '../../../src/emails/accept/send-response.js';
import type { TrackResponse } from '../../../src/emails/accept/track-response.js';
import { erasePerson } from '../erase-person.js';
import { makeProviderCall } from '../provider-call.js';
import type { WebhookReceiver } from '../webhook-receiver.js';
import { OrganizationBed, type TrackedModelEmail } from './organization-bed.js';
import { PendingEntries } from './pending-entries.js';
import { meaningOf, providerCall } from './reports.js';
import { FORMS, type Step } from './steps.js';
import type { StreamBed } from './stream-bed.js';
import { AGENTS, type AgentName } from './verdicts.js';

type Of<Name extends Step['do']> = Extract<Step, { readonly do: Name }>;

const HOUR = 3_600_000;

/** Numbers of reports are unique among all runs. */
let number = 0;

/** Takes steps, with the service and in the model. */
export class StepRunner {
  private readonly emails: TrackedModelEmail[] = [];
  private readonly entries: PendingEntries;
  /** How much later hits happen. */
  private age = 0;
  private readonly usedTimes = new Set<number>();

  private constructor(
    private readonly bed: StreamBed,
    private readonly organizations: readonly OrganizationBed[],
  ) {
    this.entries = new PendingEntries(bed);
  }

  static async create(bed: StreamBed, receiver: WebhookReceiver): Promise<StepRunner> {
    const organizations = [await OrganizationBed.create(bed, receiver), await OrganizationBed.create(bed, receiver)];
    return new StepRunner(bed, organizations);
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'email':
        return this.accept(step);
      case 'hit':
        return this.withEmail(step, (email) => this.hit(email, step.link, step.agent, step.at));
      case 'sweep':
        return this.withEmail(step, (email) => this.sweep(email, step));
      case 'report':
        return this.withEmail(step, (email) => this.report(email, step));
      case 'page':
        return this.withEmail(step, (email) => this.page(email, step));
      case 'flush':
        return this.entries.flush(step.order, step.share, step.events, step.isRepeated);
      case 'bury':
        return this.entries.bury(step.share);
      case 'redrive':
        return this.entries.redrive();
      case 'age':
        return this.deleteEvents();
      case 'settle':
        return this.settle();
      default:
        return this.changeAddress(step);
    }
  }

  /** Flushes all entries, and compares everything with the model. */
  async settle(): Promise<void> {
    await this.entries.settle();
    for (const organization of this.organizations) await organization.compare();
  }

  /** Deletes all opens and clicks, as when their months are over. Later ones happen after all of them. */
  private async deleteEvents(): Promise<void> {
    await this.settle();
    this.entries.forgetFlushed();
    for (const { model } of this.organizations) model.deleteEvents();
    await this.bed.service.database.query('delete from events');
    this.age += 4 * HOUR;
  }

  private async withEmail(
    { email }: { readonly email: number },
    act: (email: TrackedModelEmail) => Promise<void>,
  ): Promise<void> {
    if (this.emails.length > 0) await act(this.emails[email % this.emails.length]!);
  }

  private async accept(step: Of<'email'>): Promise<void> {
    const { to, copy, isSent, campaign, links } = step;
    const organization = this.organizations[step.organization]!;
    const { client, model } = organization;
    const copies = isSent && copy !== null && !to.includes(copy) ? [copy] : [];
    const unsubscribe = isSent && to.length + copies.length === 1;
    const leftOut = isSent ? [...to, ...copies].filter((one) => model.address(one).stops(unsubscribe)) : [];
    const urls = links.map((name) => `https://shop.example/${name}`);
    const response = await client.post<SendResponse & TrackResponse>(isSent ? '/api/send' : '/api/emails', {
      ...{ from: 'news@acme.example', to, subject: 'S', campaignId: campaign },
      htmlContent: `<p>x</p>${urls.map((url) => `<a href="${url}">x</a>`).join('')}`,
      ...(isSent && { cc: copies, unsubscribe }),
    });
    const isRefused = to.every((one) => leftOut.includes(one));
    expect({ to, leftOut, status: response.status }).toEqual({ to, leftOut, status: isRefused ? 422 : 200 });
    if (isRefused) return;
    if (isSent) await this.entries.addSent();
    const { body } = await client.get<EmailDetail>(`/api/emails/${response.body.emailTrackingId}`);
    const [acceptedAt, sentAt] = [Date.parse(body.createdAt), isSent ? Date.parse(body.sentAt!) : null];
    const of = model.accept({ id: body.id, acceptedAt, sentAt, campaign, urls }, to, copies, leftOut);
    const content = this.bed.service.mailServer.messages.find(({ emailId }) => emailId === body.id)?.content.toString();
    this.emails.push({
      ...{ of, organization, pixel: body.pixelUrl, links: body.links.map(({ trackingUrl }) => trackingUrl) },
      page: /^List-Unsubscribe: <(.*)>\r$/m.exec(content ?? '')?.[1],
    });
  }

  /** @param link 0 for the pixel */
  private async hit({ of, organization, ...urls }: TrackedModelEmail, link: number, agent: AgentName, at: number) {
    const place = link % (urls.links.length + 1);
    const position = place === 0 ? null : place - 1;
    const { headers, open, click } = AGENTS[agent];
    const time = this.timeOf(of, at);
    const status = await this.bed.track(position === null ? urls.pixel : urls.links[position]!, time, headers);
    expect(status).toBe(position === null ? 200 : 302);
    const hit = { at: time, position, verdict: position === null ? open : click };
    await this.entries.addNext('hit', () => organization.model.hit(of, hit));
  }

  /** Clicks each link, as a gateway does. */
  private async sweep(email: TrackedModelEmail, { at, gap, isReversed }: Of<'sweep'>): Promise<void> {
    const links = email.links.map((_, index) => index + 1);
    for (const [index, link] of (isReversed ? links.reverse() : links).entries())
      await this.hit(email, link, 'browser', at + index * gap);
  }

  private async report({ of, organization }: TrackedModelEmail, step: Of<'report'>): Promise<void> {
    const { provider, meaning, times } = step;
    const address = [...of.recipients.keys()][step.recipient] ?? 'nobody@example.com';
    const at = this.unused(1000 * (Math.floor(of.acceptedAt / 1000) - 500 + 5 * step.at), 1000);
    const report = { emailId: of.id, address, at, number: ++number };
    for (let time = 0; time < times; time++) {
      const { path, call } = providerCall(provider, meaning, report);
      const { response } = await makeProviderCall(this.bed.service.address + path, call.body, call.headers);
      expect(response).toMatchObject({ status: 200, body: { stored: 1 } });
      const effect = () => organization.model.report(`e${report.number}`, of, address, meaningOf(meaning), at);
      if (time === 0) await this.entries.addNext('report', effect);
    }
  }

  private async page({ of, organization, page }: TrackedModelEmail, { form, at: offset }: Of<'page'>): Promise<void> {
    if (page === undefined) return;
    const at = this.unused(this.timeOf(of, offset), 1);
    const status = await this.bed.track(page, at, AGENTS.browser.headers, form ?? undefined);
    expect(status).toBe(form === FORMS.robot ? 400 : 200);
    if (form === null || form === FORMS.robot) return;
    const [address] = of.recipients.keys();
    const decision = form === FORMS.undo ? 'resubscribed' : 'unsubscribed';
    const id = `page ${++number}`;
    const effect = () => address !== undefined && organization.model.report(id, of, address, decision, at);
    await this.entries.addNext('report', effect);
  }

  private async changeAddress(step: Of<'suppress' | 'unsuppress' | 'erase'>): Promise<void> {
    const { model, client } = this.organizations[step.organization]!;
    const address = model.address(step.address);
    if (step.do === 'erase') {
      await erasePerson(client, step.address);
      return model.erase(step.address);
    }
    if (step.do === 'suppress') {
      expect((await client.post('/api/suppressions', { address: step.address })).status).toBe(201);
      return void address.reasons.add('manual');
    }
    const isKnown = address.reasons.size + address.hidden.size > 0;
    expect((await client.delete(`/api/suppressions/${step.address}`)).status).toBe(isKnown ? 204 : 404);
    address.remove();
  }

  /** The next such time that no other report has: of two decisions, the later one counts. */
  private unused(at: number, step: number): number {
    for (; this.usedTimes.has(at); at += step);
    this.usedTimes.add(at);
    return at;
  }

  /** In steps of 0.7 s from 0.35 s after the hand-over. */
  private timeOf({ sentAt, acceptedAt }: TrackedModelEmail['of'], at: number): number {
    return (sentAt ?? acceptedAt) + this.age + 350 + 700 * at;
  }
}
