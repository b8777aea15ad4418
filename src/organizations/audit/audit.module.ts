import { Module } from '@nestjs/common';
import { AuditEntries } from './audit-entries.js';
import { AuditController } from './audit.controller.js';

/** The audit log of the API. */
@Module({ controllers: [AuditController], providers: [AuditEntries] })
export class AuditModule {}
