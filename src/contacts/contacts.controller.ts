import { Controller, Delete, Get, Param, Res, StreamableFile, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { CurrentCaller } from '../organizations/current-caller.js';
import { KeyGuard } from '../organizations/api-key.guard.js';
import { ListQuery, type ListRequest } from '../platform/http/list-request.js';
import { isTimestamp } from '../platform/http/paging.js';
import { readSearch } from '../platform/http/search-parameter.js';
import { isWellFormed } from '../platform/http/storable-text.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { contactDocs } from './contact-docs.js';
import type { ContactDetail, ContactView } from './contact-views.js';
import { ContactNotFoundError, Contacts } from './contacts.js';
import { PersonExports } from './erasure/export-person.js';
import { RespondsWithFile } from '../platform/http/unread-responses.js';
import { ContactErasures, type ErasureProgress } from './erasure/contact-erasures.js';
import { authorOf } from '../organizations/audit/record-audit.js';

const cursorParts = [isTimestamp, (part: string) => /^\d{1,18}$/.test(part)];

@Controller('api/contacts')
@UseGuards(KeyGuard)
export class ContactsController {
  constructor(
    private readonly contacts: Contacts,
    private readonly erasures: ContactErasures,
    private readonly exports: PersonExports,
  ) {}

  @Get()
  @contactDocs.list
  async list(@CurrentCaller() caller: Caller, @ListQuery() list: ListRequest): Promise<readonly ContactView[]> {
    const page = await this.contacts.list(caller.organizationId, readSearch(list.query), list.page(cursorParts));
    list.linkNext(page.next);
    return page.items;
  }

  @Get(':email')
  @contactDocs.detail
  async detail(@CurrentCaller() caller: Caller, @Param('email') email: string): Promise<ContactDetail> {
    if (!isWellFormed(email)) throw new ContactNotFoundError();
    return this.contacts.detail(caller.organizationId, email);
  }

  @Get(':email/export')
  @RespondsWithFile()
  @contactDocs.export
  async export(@CurrentCaller() caller: Caller, @Param('email') email: string): Promise<StreamableFile> {
    if (!isWellFormed(email)) throw new ContactNotFoundError();
    const file = await this.exports.export(caller.organizationId, authorOf(caller), email);
    return new StreamableFile(file, {
      type: 'application/json; charset=utf-8',
      disposition: 'attachment; filename="contact.json"',
    });
  }

  @Delete(':email')
  @contactDocs.erase
  async erase(
    @CurrentCaller() caller: Caller,
    @Param('email') email: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ErasureProgress | undefined> {
    if (!isWellFormed(email)) throw new ContactNotFoundError();
    const progress = await this.erasures.erase(caller.organizationId, authorOf(caller), email);
    void reply.status(progress ? 202 : 204);
    return progress;
  }
}
