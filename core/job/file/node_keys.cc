// SPDX-License-Identifier: Apache-2.0
// The keys that say on which hosts and in which image ranks run.
#include "core/job/file/host_list.h"
#include "core/job/file/hosts_reader.h"
#include "core/job/file/job_keys.h"
#include "core/job/file/list_reader.h"
#include "core/job/file/number_reader.h"

namespace muster {
namespace {

using Text = std::string_view;
using Type = KeyType;
using R = ValueReader;

// In the order of their enum (in_image.h).
constexpr std::array<Text, 5> kContainerPrograms = {"auto", "podman", "docker", "apptainer", "enroot"};

}  // namespace

constexpr std::array<Key, 4> kInImageKeys = {{
    {"image", Type::text, "Name of the image, or the path of an image file on the host.", "registry.example/train:7",
     [](R& r) { r.text(r.job().in_image.image); }},
    one_of(kContainerPrograms,
           {"program", Type::choice,
            "The program that opens the image; auto: the first of these that is installed on the host.", "apptainer",
            [](R& r) { r.choice(r.job().in_image.program); }}),
    {"mounts", Type::words, "More folders of the host that workers see: SOURCE, SOURCE:TARGET or SOURCE:TARGET:ro.",
     "[/data, \"/scratch/mia:/scratch\"]", [](R& r) { read_words(r, r.job().in_image.mounts); }},
    {"files", Type::labels, "Texts of files that workers see below a mount without a source (`:TARGET`), by path.",
     "{/etc/train/a.json: \"{}\"}", [](R& r) { read_labels(r, r.job().in_image.files); }},
}};

constexpr std::array<Key, 7> kHostKeys = {{
    {"name", Type::text,
     "The name for ssh: a host name, an alias of ~/.ssh/config or an address, with or without USER@.", "mia@a1",
     [](R& r) { read_host_name(r); }},
    between(1, kMostSlots,
            {"slots", Type::count, "Largest number of ranks on the host; default: as many as fit.", "8",
             [](R& r) { read_count(r, r.host().slots); }}),
    {"address", Type::text,
     "Where the other hosts reach it: an address, or the name of its NIC; default: in the fastest network that all "
     "hosts share.",
     "ib0", [](R& r) { r.text(r.host().address); }},
    {"env", Type::labels, "Variables of the ranks on this host; they override those of the job and of the group.",
     "{NCCL_SOCKET_IFNAME: ib0}", [](R& r) { read_labels(r, r.host().env); }},
    {"scratch", Type::text, "Folder on the host for temporary files, an absolute path: TMPDIR of its ranks.",
     "/scratch/mia", [](R& r) { r.text(r.host().scratch); }},
    {"label", Type::text, "A word of your own for the kind of host; jobs and groups can select hosts by it.", "rack1",
     [](R& r) { read_host_label(r, r.host().label); }},
    between(0, kMostWeight,
            {"weight", Type::count, "If not all hosts are needed, those with the greatest weight are taken first.", "2",
             [](R& r) { read_count(r, r.host().weight); }}),
}};

}  // namespace muster
