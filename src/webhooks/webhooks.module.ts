import { Module } from '@nestjs/common';
import { WebhookOutbox } from './webhook-outbox.js';

@Module({ providers: [WebhookOutbox], exports: [WebhookOutbox] })
export class WebhooksModule {}
