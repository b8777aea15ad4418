import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, UseGuards } from '@nestjs/common';
import { CurrentCaller } from './current-caller.js';
import { KeyGuard } from './api-key.guard.js';
import { ListQuery, type ListRequest } from '../platform/http/list-request.js';
import { isTimestamp } from '../platform/http/paging.js';
import { CLOCK, type Clock } from '../platform/clock/clock.js';
import type { Caller } from './api-key-authenticator.js';
import { authorOf } from './audit/record-audit.js';
import { keyDocs } from './key-docs.js';
import { isKeyId } from './key-format.js';
import { ApiKeys, KeyNotFoundError, type KeyView } from './api-keys.js';
import { requireNoMore } from './key-limits.js';
import { OwnersOnly } from './key-scopes.js';
import { CreateKeyRequest, readNewKey } from './key-requests.js';

const cursorParts = [isTimestamp, isKeyId];

@Controller('api/keys')
@UseGuards(KeyGuard)
export class KeysController {
  constructor(
    private readonly keys: ApiKeys,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Lists active keys without their secrets, newest first. */
  @Get()
  @keyDocs.list
  async list(@CurrentCaller() caller: Caller, @ListQuery() list: ListRequest): Promise<{ keys: readonly KeyView[] }> {
    const page = await this.keys.listActive(caller.organizationId, list.page(cursorParts));
    list.linkNext(page.next);
    return { keys: page.items };
  }

  /** Only this response contains `key`. A key cannot create one that may do more than itself. */
  @Post()
  @OwnersOnly()
  @keyDocs.create
  async create(@CurrentCaller() caller: Caller, @Body() body: CreateKeyRequest): Promise<KeyView & { key: string }> {
    const wanted = readNewKey(body, caller, this.clock.now());
    requireNoMore(caller, wanted);
    return this.keys.create(authorOf(caller), wanted);
  }

  /** A key may revoke itself. */
  @Delete(':id')
  @HttpCode(204)
  @OwnersOnly()
  @keyDocs.revoke
  async revoke(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<void> {
    if (!isKeyId(id)) throw new KeyNotFoundError();
    await this.keys.revoke(authorOf(caller), id);
  }
}
