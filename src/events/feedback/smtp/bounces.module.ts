import { Module, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { CLOCK, type Clock } from '../../../platform/clock/clock.js';
import { SETTINGS, type RunSettings } from '../../../platform/config/settings.js';
import { LOGGER, type Logger } from '../../../platform/logging/logger.js';
import { BounceIntake } from './bounce-intake.js';
import { BounceIntakeModule } from './bounce-intake.module.js';
import { BounceListener } from './bounce-listener.js';
import { BounceMetrics } from './bounce-metrics.js';

/** The role `bounces`: an SMTP server for the bounces of our mail. */
@Module({
  imports: [BounceIntakeModule],
  providers: [
    {
      provide: BounceListener,
      inject: [BounceIntake, BounceMetrics, CLOCK, LOGGER, SETTINGS],
      useFactory: (
        intake: BounceIntake,
        metrics: BounceMetrics,
        clock: Clock,
        logger: Logger,
        { HOST, BOUNCE_SMTP_HOST: host = HOST, BOUNCE_SMTP_PORT: port = 0, BOUNCE_DOMAIN: name = '' }: RunSettings,
      ) => new BounceListener(intake, metrics, clock, logger, { host, port, name }),
    },
  ],
  exports: [BounceListener],
})
export class BouncesModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(private readonly listener: BounceListener) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.listener.listen();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.listener.close();
  }
}
