import { Inject, Module, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { BudgetsModule } from '../../organizations/budgets/budgets.module.js';
import { KeyLookupModule } from '../../organizations/key-lookup.module.js';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { METRICS } from '../../platform/health/metrics.js';
import { BodyBudget } from '../../platform/http/body-budget.js';
import { LOGGER, type Logger } from '../../platform/logging/logger.js';
import { EmailAcceptanceModule } from '../accept/email-acceptance.module.js';
import { SubmissionListener } from './submission-listener.js';
import { SubmissionLogins } from './submission-logins.js';
import { SubmissionMetrics } from './submission-metrics.js';
import { selfSignedIdentity, TlsFiles } from './submission-tls.js';
import { SubmitMessage } from './submit-message.js';

/** The role `smtp`: an SMTP server that accepts mail of organizations. */
@Module({
  imports: [BudgetsModule, KeyLookupModule, EmailAcceptanceModule],
  providers: [
    SubmissionLogins,
    SubmitMessage,
    {
      provide: SubmissionListener,
      inject: [SubmissionLogins, SubmitMessage, BodyBudget, METRICS, LOGGER, SETTINGS],
      useFactory: (
        logins: SubmissionLogins,
        messages: SubmitMessage,
        budget: BodyBudget,
        registry: Registry,
        logger: Logger,
        { HOST, SUBMISSION_HOST: host = HOST, SUBMISSION_PORT: port = 0, BASE_URL }: RunSettings,
      ) => {
        const parts = { logins, messages, budget, metrics: new SubmissionMetrics(registry), logger };
        return new SubmissionListener(parts, {
          host,
          port,
          setting: 'SUBMISSION_PORT',
          name: new URL(BASE_URL).hostname,
        });
      },
    },
  ],
  exports: [SubmissionListener],
})
export class SubmissionModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly listener: SubmissionListener,
    @Inject(SETTINGS) private readonly settings: RunSettings,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { SUBMISSION_TLS_CERTIFICATE: certificate, SUBMISSION_TLS_KEY: privateKey } = this.settings;
    const files = certificate && privateKey ? new TlsFiles(certificate, privateKey) : undefined;
    await this.listener.listen((await files?.readIfChanged()) ?? (await selfSignedIdentity()), files);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.listener.close();
  }
}
