import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EventKeyType } from '../../organizations/providers/event-key.js';
import type { RequestCheck } from '../../platform/http/request-check.js';
import { ServiceEvents } from './service-events.js';

/** Admits calls of the service's own account with one provider, if there is one. */
@Injectable()
abstract class ServiceRequestCheck implements RequestCheck {
  protected abstract readonly type: EventKeyType;

  constructor(private readonly events: ServiceEvents) {}

  admit(request: FastifyRequest, reply: FastifyReply): void {
    this.events.admit(this.type, request, reply);
  }
}

@Injectable()
export class SendGridRequestCheck extends ServiceRequestCheck {
  protected readonly type = 'sendgrid';
}

@Injectable()
export class MailgunRequestCheck extends ServiceRequestCheck {
  protected readonly type = 'mailgun';
}

@Injectable()
export class PostmarkRequestCheck extends ServiceRequestCheck {
  protected readonly type = 'postmark';
}

@Injectable()
export class ResendRequestCheck extends ServiceRequestCheck {
  protected readonly type = 'resend';
}

@Injectable()
export class SesRequestCheck extends ServiceRequestCheck {
  protected readonly type = 'ses';
}
