import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, UseGuards } from '@nestjs/common';
import { KeyGuard } from '../organizations/api-key.guard.js';
import type { Caller } from '../organizations/api-key-authenticator.js';
import { authorOf } from '../organizations/audit/record-audit.js';
import { CurrentCaller } from '../organizations/current-caller.js';
import { NeedsSession, OwnersOnly } from '../organizations/key-scopes.js';
import { isUuid } from '../platform/clock/uuid-v7.js';
import { ListQuery, type ListRequest } from '../platform/http/list-request.js';
import { isTimestamp } from '../platform/http/paging.js';
import { Invitations } from './invitations.js';
import { People } from './people.js';
import { readEmail } from './sessions/session-requests.js';
import { userDocs } from './user-docs.js';
import { ChangeRoleRequest, InviteUserRequest } from './user-requests.js';
import type { InvitedUser, UserView } from './user-view.js';

/** The people of an organization, for its owners. No API key may use these routes. */
@Controller('api/users')
@UseGuards(KeyGuard)
export class UsersController {
  constructor(
    private readonly people: People,
    private readonly invitations: Invitations,
  ) {}

  @Get()
  @NeedsSession()
  @userDocs.list
  async list(@CurrentCaller() caller: Caller, @ListQuery() list: ListRequest): Promise<{ users: readonly UserView[] }> {
    const page = await this.people.list(caller.organizationId, list.page([isTimestamp, isUuid]));
    list.linkNext(page.next);
    return { users: page.items };
  }

  @Post()
  @NeedsSession()
  @OwnersOnly()
  @userDocs.invite
  async invite(@CurrentCaller() caller: Caller, @Body() body: InviteUserRequest): Promise<InvitedUser> {
    const { id, mailed } = await this.invitations.invite(authorOf(caller), readEmail(body.email), body.role);
    return { ...(await this.people.get(caller.organizationId, id)), mailed };
  }

  @Patch(':id')
  @NeedsSession()
  @OwnersOnly()
  @userDocs.changeRole
  async changeRole(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: ChangeRoleRequest,
  ): Promise<UserView> {
    await this.people.changeRole(authorOf(caller), id, body.role);
    return this.people.get(caller.organizationId, id);
  }

  @Delete(':id')
  @HttpCode(204)
  @NeedsSession()
  @OwnersOnly()
  @userDocs.remove
  async remove(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<void> {
    await this.people.remove(authorOf(caller), id);
  }
}
