import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentCaller } from './current-caller.js';
import { KeyGuard } from './api-key.guard.js';
import { isTimestamp, linkNextPage, readPageRequest } from '../platform/http/paging.js';
import { IsWellFormed } from '../platform/http/storable-text.js';
import type { Caller } from './api-key-authenticator.js';
import { keyDocs } from './key-docs.js';
import { isKeyId } from './key-format.js';
import { KeyNotFoundError, Organizations, type KeyView } from './organizations.js';

const MAX_NAME = 200;
const cursorParts = [isTimestamp, isKeyId];

class CreateKeyRequest {
  @IsOptional()
  @IsWellFormed()
  @MaxLength(MAX_NAME, { message: `name must have at most ${MAX_NAME} characters` })
  @MinLength(1, { message: 'name must not be empty' })
  @IsString({ message: 'name must be a string' })
  name?: string;
}

@Controller('api/keys')
@UseGuards(KeyGuard)
export class KeysController {
  constructor(private readonly organizations: Organizations) {}

  /** Lists active keys without their secrets, newest first. */
  @Get()
  @keyDocs.list
  async list(
    @CurrentCaller() caller: Caller,
    @Query() query: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ keys: readonly KeyView[] }> {
    const page = await this.organizations.listActiveKeys(caller.organizationId, readPageRequest(query, cursorParts));
    linkNextPage(request, reply, page.next);
    return { keys: page.items };
  }

  /** Only this response contains `key`. */
  @Post()
  @keyDocs.create
  create(@CurrentCaller() caller: Caller, @Body() body: CreateKeyRequest): Promise<KeyView & { key: string }> {
    return this.organizations.createKey(caller.organizationId, body.name ?? null);
  }

  /** A key may revoke itself. */
  @Delete(':id')
  @HttpCode(204)
  @keyDocs.revoke
  async revoke(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<void> {
    if (!isKeyId(id)) throw new KeyNotFoundError();
    await this.organizations.revokeKey(caller.organizationId, id);
  }
}
