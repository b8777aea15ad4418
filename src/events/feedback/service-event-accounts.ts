import { Inject, Injectable } from '@nestjs/common';
import type { EventKeys, EventKeyType } from '../../organizations/providers/event-key.js';
import { SETTINGS, type Settings } from '../../platform/config/settings.js';
import { EventsNotSetUpError } from './provider-call-errors.js';
import type { EventAccount } from './event-calls.js';

/** The service's own accounts with providers, whose calls its settings verify. */
@Injectable()
export class ServiceEventAccounts {
  private readonly keys: { readonly [Type in EventKeyType]: EventKeys[Type] | undefined };

  constructor(@Inject(SETTINGS) settings: Settings) {
    this.keys = {
      sendgrid: settings.SENDGRID_EVENT_PUBLIC_KEY,
      mailgun: settings.MAILGUN_EVENT_SIGNING_KEY,
      postmark: settings.POSTMARK_EVENT_CREDENTIALS,
      resend: settings.RESEND_EVENT_SECRET,
      ses: settings.SES_EVENT_TOPICS,
    };
  }

  /** @throws EventsNotSetUpError */
  of<Type extends EventKeyType>(type: Type): EventAccount<Type> {
    const keys = this.keys[type];
    if (!keys) throw new EventsNotSetUpError();
    return { type, keys };
  }
}
