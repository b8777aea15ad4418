import { Controller, Get, UseGuards } from '@nestjs/common';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { KeyGuard } from '../../organizations/api-key.guard.js';
import { CurrentCaller } from '../../organizations/current-caller.js';
import { SendingStates, type SendingStateView } from './sending-state.js';
import { sendingStateDocs } from './sending-state-docs.js';

@Controller('api/sending')
@UseGuards(KeyGuard)
export class SendingStateController {
  constructor(private readonly states: SendingStates) {}

  @Get()
  @sendingStateDocs.get
  get(@CurrentCaller() { organizationId }: Caller): Promise<SendingStateView> {
    return this.states.read(organizationId);
  }
}
