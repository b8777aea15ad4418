import { Module, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../config/settings.js';
import { GuardedSockets } from './guarded-sockets.js';
import type { OutboundPolicy } from './outbound-policy.js';
import { GuardedHttp } from './guarded-http.js';
import { addressFinder } from './resolve-host.js';

/** Provides connections to servers that organizations choose. */
@Module({
  providers: [
    { provide: GuardedHttp, inject: [SETTINGS], useFactory: guardedHttp },
    { provide: GuardedSockets, inject: [SETTINGS], useFactory: guardedSockets },
  ],
  exports: [GuardedHttp, GuardedSockets],
})
export class OutboundHttpModule implements OnApplicationShutdown {
  constructor(private readonly http: GuardedHttp) {}

  onApplicationShutdown(): void {
    this.http.close();
  }
}

function guardedHttp(settings: RunSettings): GuardedHttp {
  const policy = policyOf(settings);
  return new GuardedHttp(policy, addressFinder(policy));
}

function guardedSockets(settings: RunSettings): GuardedSockets {
  const policy = policyOf(settings);
  return new GuardedSockets(policy, addressFinder(policy));
}

function policyOf(settings: RunSettings): OutboundPolicy {
  return {
    allowPrivateAddresses: settings.WEBHOOK_ALLOW_PRIVATE_ADDRESSES,
    allowHttp: settings.WEBHOOK_ALLOW_HTTP,
    ownHost: new URL(settings.BASE_URL).hostname,
  };
}
