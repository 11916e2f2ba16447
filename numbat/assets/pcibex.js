// One trial is one sentence with a scale. Each person sees one group of trials.csv, in the order of its rows.
//
// Consent is yours to add: save your text as consent.html beside trials.csv, define the trial
//     newTrial("consent",
//         newHtml("consent", "consent.html").checkboxWarning("Please consent before you go on.").log().print(),
//         newButton("Continue").center().print().wait(getHtml("consent").test.complete().failure(getHtml("consent").warn()))
//     );
// and put "consent" first in the sequence.

PennController.ResetPrefix(null);
// DebugOff();   // take the slashes away when the experiment is to be published

Sequence("counter", "instructions", ...(PRACTICE ? ["practice", "begin"] : []), "trial", SendResults(), "end");

// The next person gets the next group as soon as this one begins.
SetCounter("counter", "inc", 1);

const shown = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

newTrial("instructions",
    newHtml("instructions", "instructions.html").center().print(),
    newButton("start", CONTINUE).center().print().wait()
);

newTrial("begin",
    newText("begin", BEGIN).center().print(),
    newButton("start", CONTINUE).center().print().wait()
);

Template(GetTable("trials.csv").setGroupColumn("group"), (row) => {
    const trial = newTrial(row.kind === "practice" ? "practice" : "trial",
        newText("sentence", shown(row.sentence)).css("font-size", "1.4em").css("margin", "3em 0 2em 0").center().print(),
        newScale("rating", ...SCALE)
            .before(newText("least", LEAST))
            .after(newText("most", MOST))
            .labelsPosition("top")
            .keys()
            .log("last")
            .center()
            .print()
            .wait()
    );
    for (const column of COLUMNS) trial.log(column, row[column]);
    return trial;
});

newTrial("end",
    newText("end", END).center().print(),
    newButton("wait").wait()   // never shown: the page stays
).setOption("countsForProgressBar", false);
