import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../config/settings.js';
import { GuardedHttp } from './ssrf-safe-client.js';
import { addressFinder } from './resolve-host.js';

/** Provides HTTP requests to URLs that organizations choose. */
@Module({
  providers: [{ provide: GuardedHttp, inject: [SETTINGS], useFactory: guardedHttp }],
  exports: [GuardedHttp],
})
export class OutboundHttpModule implements OnApplicationShutdown {
  constructor(private readonly http: GuardedHttp) {}

  onApplicationShutdown(): void {
    this.http.close();
  }
}

function guardedHttp(settings: RunSettings): GuardedHttp {
  const policy = {
    allowPrivateAddresses: settings.WEBHOOK_ALLOW_PRIVATE_ADDRESSES,
    allowHttp: settings.WEBHOOK_ALLOW_HTTP,
    ownHost: new URL(settings.BASE_URL).hostname,
  };
  return new GuardedHttp(policy, addressFinder(policy));
}
