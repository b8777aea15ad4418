import type { Page } from 'playwright-core';
import type { TemplateDetail } from '../../src/templates/template-view.js';
import { JOURNEY_MS, signedInPage } from './dashboard-page.js';
import { startDashboardOf, type DashboardOfUser } from './start-dashboard.js';

const TEMPLATE = { name: 'Welcome', subject: 'Welcome', htmlContent: '<p>Welcome</p>' };
export const OTHERS = { ...TEMPLATE, subject: 'Good day' };

/** Opens a new template in a page of its own before each test of the group. */
export class TemplateEditor {
  started!: DashboardOfUser;
  page!: Page;
  path!: string;

  constructor() {
    beforeAll(async () => {
      this.started = await startDashboardOf('member', { RATE_LIMIT_PER_MINUTE: '0' });
    }, JOURNEY_MS);
    beforeEach(() => this.open(), JOURNEY_MS);
    afterEach(() => this.page?.context().close());
    afterAll(() => this.started?.stop());
  }

  readonly field = (name: string) => this.page.getByRole('textbox', { name, exact: true });
  readonly button = (name: string) => this.page.getByRole('button', { name });
  readonly notice = (version: number) =>
    this.page.getByRole('alert').filter({ hasText: `Version ${version} was saved meanwhile` });
  readonly saveOther = () => this.started.organization.put(this.path, OTHERS);
  readonly read = async (route = this.path) => (await this.started.organization.get<TemplateDetail>(route)).body;

  private async open(): Promise<void> {
    const { id } = (await this.started.organization.post<{ id: string }>('/api/templates', TEMPLATE)).body;
    this.path = `/api/templates/${id}`;
    this.page = await signedInPage(this.started.browser, this.started.service, this.started.email);
    await this.page.goto(`${this.started.service.address}/templates/${id}`);
    await this.field('Subject').waitFor();
  }
}
