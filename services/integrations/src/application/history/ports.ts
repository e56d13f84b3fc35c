export interface HistorySlice {
  readonly before: number;
  readonly limit: number;
}
