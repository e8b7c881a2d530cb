/** The bots that this server has. */
import { BotService } from "@gouji/client/v1/bot";
import { useEffect } from "react";
import { session } from "../net/session";
import { Store, useStore } from "../net/store";

const levels = new Store<readonly string[]>(["random", "greedy"]);
let asked = false;

/** Levels of bots, weakest first: those that every server has, until this one has told its own. */
export function useBotLevels(): readonly string[] {
  useEffect(() => {
    if (asked) return;
    asked = true;
    session
      .call((options) => session.client(BotService).listBots({}, options))
      .then((listed) => levels.set(listed.levels.map((level) => level.level)))
      .catch(() => {
        asked = false;
      });
  }, []);
  return useStore(levels);
}
