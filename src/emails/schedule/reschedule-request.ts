import { IsSendAt } from './send-at.js';

export class RescheduleRequest {
  @IsSendAt()
  sendAt!: string;
}
